/** Provides the charts of an organization's screens with their effects. */
import * as v from 'valibot';
import { fromPromise } from 'xstate';
import { createInvitation, listInvitations, revokeInvitation } from '#contract/api/invitations.ts';
import { listMembers, readMember, removeMember, updateMember } from '#contract/api/members.ts';
import {
  deleteOrganization,
  listAudit,
  readDashboard,
  readOrganization,
  readOrganizationDeletion,
  updateOrganization,
} from '#contract/api/organizations.ts';
import { listProjects } from '#contract/api/projects.ts';
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
import type { Caller } from '../http/caller.ts';
import { pageAt } from '../http/pages.ts';
import { organizationLimitsOf } from './limits.ts';
import { memberRemovalOf } from './memberRemoval.ts';
import { settingsOf } from './settings.ts';
import { usageOf } from './usage.ts';

type OfOrganization = { orgUuid: string };

/** The charts of these screens, for the workspace. */
export const organizationScreens = (call: Caller) => ({
  organization: dashboardMachine.provide({
    actors: {
      loadDashboard: fromPromise<DashboardData, OfOrganization>(async ({ input, signal }) => {
        const args = { params: { organization: input.orgUuid }, signal };
        const [figures, { projects }] = await Promise.all([call(readDashboard, args), call(listProjects, args)]);
        return { figures, projects };
      }),
      usage: usageOf(call),
      nameForm: nameForm.provide({
        actors: {
          submit: fromPromise<OrganizationDetails, Submitted<{ name: string }, OfOrganization>>(
            async ({ input: { values, about }, signal }) => {
              const args = { params: { organization: about.orgUuid }, signal };
              const { contact_email } = await call(readOrganization, args);
              return call(updateOrganization, { ...args, json: { ...values, contact_email } });
            },
          ),
        },
      }),
    },
  }),
  members: membersOf(call),
  invitation: invitationMachine.provide({
    actors: {
      form: invitationForm.provide({ actors: { submit: sendInvitation(call) } }),
      sendInvitation: sendInvitation(call),
      loadInvitations: fromPromise<readonly Invitation[], OfOrganization>(
        async ({ input, signal }) =>
          (await call(listInvitations, { params: { organization: input.orgUuid }, signal })).invitations,
      ),
    },
  }),
  organizationLimits: organizationLimitsOf(call),
  organizationSettings: organizationSettingsOf(call),
  auditLog: auditLogMachine.provide({
    actors: {
      fetchPage: fromPromise<ListPage<AuditItem>, PageRequest>(async ({ input, signal }) => {
        const page = await call(listAudit, {
          params: { organization: input.of ?? '' },
          query: pageAt(input.cursor),
          signal,
        });
        return {
          items: page.entries.map((entry) => ({ ...entry, id: entry.uuid })),
          nextCursor: page.next_page_cursor,
        };
      }),
    },
  }),
});

const sendInvitation = (call: Caller) =>
  fromPromise<Invitation, Submitted<InvitationCreate, OfOrganization>>(({ input: { about, values }, signal }) =>
    call(createInvitation, { params: { organization: about.orgUuid }, json: values, signal }),
  );

const membersOf = (call: Caller) =>
  membersMachine.provide({
    actors: {
      loadPeople: fromPromise<People, OfOrganization & { withInvitations: boolean }>(
        async ({ input: { orgUuid, withInvitations }, signal }) => {
          const args = { params: { organization: orgUuid }, signal };
          const [{ users }, invitations] = await Promise.all([
            call(listMembers, args),
            withInvitations ? call(listInvitations, args) : null,
          ]);
          return { members: users, invitations: invitations?.invitations ?? [] };
        },
      ),
      loadMember: fromPromise<Member, OfOrganization & { userUuid: string }>(({ input, signal }) =>
        call(readMember, { params: { organization: input.orgUuid, user: input.userUuid }, signal }),
      ),
      roleForm: roleForm.provide({
        actors: {
          submit: fromPromise<Member, Submitted<{ role: Role }, OfOrganization & { userUuid: string }>>(
            ({ input: { about, values }, signal }) =>
              call(updateMember, {
                params: { organization: about.orgUuid, user: about.userUuid },
                json: values,
                signal,
              }),
          ),
        },
      }),
      memberRemoval: memberRemovalOf(call),
      removeEntry: fromPromise<void, EntryRemoval>(async ({ input: { orgUuid, kind, uuid, revokesKeys }, signal }) => {
        await (kind === 'member'
          ? call(removeMember, {
              params: { organization: orgUuid, user: uuid },
              query: { revoke_api_keys: revokesKeys ? 'true' : undefined },
              signal,
            })
          : call(revokeInvitation, { params: { organization: orgUuid, invitation: uuid }, signal }));
      }),
    },
  });

const detailsOf = ({ uuid, name, contact_email }: OrganizationDetails): PlaceDetails => ({
  uuid,
  fields: { name, contact_email },
});

const organizationSettingsOf = (call: Caller) =>
  organizationSettings.machine.provide({
    actors: {
      loadBalance: fromPromise<number, Place>(
        async ({ input, signal }) =>
          (await call(readOrganizationDeletion, { params: { organization: input.orgUuid }, signal })).balance_micros,
      ),
      ...settingsOf(organizationSettings, {
        load: async ({ orgUuid }, signal) =>
          detailsOf(await call(readOrganization, { params: { organization: orgUuid }, signal })),
        save: async ({ orgUuid }, values, signal) =>
          detailsOf(
            await call(updateOrganization, {
              params: { organization: orgUuid },
              json: v.parse(OrganizationUpdate, values),
              signal,
            }),
          ),
        remove: async ({ orgUuid, forfeitedMicros }, signal) => {
          await call(deleteOrganization, {
            params: { organization: orgUuid },
            query: { lost_micros: forfeitedMicros },
            signal,
          });
        },
      }),
    },
  });
