/** The screens of an organization with what they call. */
import * as v from 'valibot';
import { fromPromise } from 'xstate';
import type { Invitation, InvitationCreate, Member } from '#contract/members.ts';
import { OrganizationUpdate, type OrganizationDetails } from '#contract/organizations.ts';
import type { Role } from '#contract/roles.ts';
import { auditLogMachine, type AuditItem } from '#machines/workspace/auditLog/machine.ts';
import type { DashboardData } from '#machines/workspace/dashboard/actors.ts';
import { dashboardMachine } from '#machines/workspace/dashboard/machine.ts';
import { nameForm } from '#machines/workspace/dashboard/nameForm.ts';
import { invitationForm } from '#machines/workspace/invitation/form.ts';
import { invitationMachine } from '#machines/workspace/invitation/machine.ts';
import type { EntryRemoval, People } from '#machines/workspace/members/actors.ts';
import { roleForm } from '#machines/workspace/members/form.ts';
import { membersMachine } from '#machines/workspace/members/machine.ts';
import type { Place, PlaceDetails } from '#machines/workspace/settings/place/actors.ts';
import { organizationSettings } from '#machines/workspace/settings/organization.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import type { ListPage, PageRequest } from '#machines/shared/pagedList/actors.ts';
import type { MainApi } from '../http/mainApi.ts';
import { organizationLimitsOf } from './limits.ts';
import { memberRemovalOf } from './memberRemoval.ts';
import { settingsOf } from './settings.ts';
import { usageOf } from './usage.ts';

type OfOrganization = { orgUuid: string };

/** The charts of these screens, for the workspace. */
export const organizationScreens = (api: MainApi) => ({
  organization: dashboardMachine.provide({
    actors: {
      loadDashboard: fromPromise<DashboardData, OfOrganization>(async ({ input: { orgUuid }, signal }) => {
        const [figures, { projects }] = await Promise.all([
          api.dashboard(orgUuid, signal),
          api.projects(orgUuid, signal),
        ]);
        return { figures, projects };
      }),
      usage: usageOf(api),
      nameForm: nameForm.provide({
        actors: {
          submit: fromPromise<OrganizationDetails, Submitted<{ name: string }, OfOrganization>>(
            async ({ input: { values, about }, signal }) => {
              const { contact_email } = await api.organization(about.orgUuid, signal);
              return api.updateOrganization(about.orgUuid, { ...values, contact_email }, signal);
            },
          ),
        },
      }),
    },
  }),
  members: membersOf(api),
  invitation: invitationMachine.provide({
    actors: {
      form: invitationForm.provide({ actors: { submit: sendInvitation(api) } }),
      sendInvitation: sendInvitation(api),
      loadInvitations: fromPromise<readonly Invitation[], OfOrganization>(
        async ({ input, signal }) => (await api.invitations(input.orgUuid, signal)).invitations,
      ),
    },
  }),
  organizationLimits: organizationLimitsOf(api),
  organizationSettings: organizationSettingsOf(api),
  auditLog: auditLogMachine.provide({
    actors: {
      fetchPage: fromPromise<ListPage<AuditItem>, PageRequest>(async ({ input, signal }) => {
        const page = await api.audit(input.of ?? '', input.cursor, signal);
        return {
          items: page.entries.map((entry) => ({ ...entry, id: entry.uuid })),
          nextCursor: page.next_page_cursor,
        };
      }),
    },
  }),
});

const sendInvitation = (api: MainApi) =>
  fromPromise<Invitation, Submitted<InvitationCreate, OfOrganization>>(({ input: { about, values }, signal }) =>
    api.invite(about.orgUuid, values, signal),
  );

const membersOf = (api: MainApi) =>
  membersMachine.provide({
    actors: {
      loadPeople: fromPromise<People, OfOrganization & { withInvitations: boolean }>(
        async ({ input: { orgUuid, withInvitations }, signal }) => {
          const [{ users }, invitations] = await Promise.all([
            api.members(orgUuid, signal),
            withInvitations ? api.invitations(orgUuid, signal) : null,
          ]);
          return { members: users, invitations: invitations?.invitations ?? [] };
        },
      ),
      loadMember: fromPromise<Member, OfOrganization & { userUuid: string }>(({ input, signal }) =>
        api.member(input.orgUuid, input.userUuid, signal),
      ),
      roleForm: roleForm.provide({
        actors: {
          submit: fromPromise<Member, Submitted<{ role: Role }, OfOrganization & { userUuid: string }>>(
            ({ input: { about, values }, signal }) => api.updateMember(about.orgUuid, about.userUuid, values, signal),
          ),
        },
      }),
      memberRemoval: memberRemovalOf(api),
      removeEntry: fromPromise<void, EntryRemoval>(async ({ input: { orgUuid, kind, uuid, revokesKeys }, signal }) => {
        await (kind === 'member'
          ? api.removeMember(orgUuid, uuid, revokesKeys, signal)
          : api.revokeInvitation(orgUuid, uuid, signal));
      }),
    },
  });

const detailsOf = ({ uuid, name, contact_email }: OrganizationDetails): PlaceDetails => ({
  uuid,
  fields: { name, contact_email },
});

const organizationSettingsOf = (api: MainApi) =>
  organizationSettings.machine.provide({
    actors: {
      loadBalance: fromPromise<number, Place>(
        async ({ input, signal }) => (await api.organizationDeletion(input.orgUuid, signal)).balance_micros,
      ),
      ...settingsOf(organizationSettings, {
        load: async ({ orgUuid }, signal) => detailsOf(await api.organization(orgUuid, signal)),
        save: async ({ orgUuid }, values, signal) =>
          detailsOf(await api.updateOrganization(orgUuid, v.parse(OrganizationUpdate, values), signal)),
        remove: async ({ orgUuid, forfeitedMicros }, signal) => {
          await api.deleteOrganization(orgUuid, forfeitedMicros, signal);
        },
      }),
    },
  });
