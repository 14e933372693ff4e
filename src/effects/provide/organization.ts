/** The screens of an organization with what they call. */
import { fromPromise } from 'xstate';
import type { Invitation, Member } from '#contract/members.ts';
import type { OrganizationDetails } from '#contract/organizations.ts';
import { auditLogMachine, type AuditItem } from '#machines/workspace/auditLog/machine.ts';
import type { DashboardData } from '#machines/workspace/dashboard/actors.ts';
import { dashboardMachine } from '#machines/workspace/dashboard/machine.ts';
import type { InvitationRequest } from '#machines/workspace/invitation/actors.ts';
import { invitationForm } from '#machines/workspace/invitation/form.ts';
import { invitationMachine } from '#machines/workspace/invitation/machine.ts';
import type { EntryRemoval, People, RoleRequest } from '#machines/workspace/members/actors.ts';
import { roleForm } from '#machines/workspace/members/form.ts';
import { membersMachine } from '#machines/workspace/members/machine.ts';
import type { OrganizationSaved } from '#machines/workspace/settings/organization/actors.ts';
import { deletionForm, detailsForm } from '#machines/workspace/settings/organization/forms.ts';
import { organizationSettingsMachine } from '#machines/workspace/settings/organization/machine.ts';
import type { ListPage, PageRequest } from '#machines/shared/pagedList/actors.ts';
import type { Submitted } from './index.ts';
import type { MainApi } from '../http/mainApi.ts';
import { memberRemovalOf } from './memberRemoval.ts';
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
  organizationSettings: settingsOf(api),
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
  fromPromise<Invitation, Submitted<InvitationRequest>>(({ input: { values }, signal }) =>
    api.invite(values.orgUuid, values.invitation, signal),
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
          submit: fromPromise<Member, Submitted<RoleRequest>>(({ input: { values }, signal }) =>
            api.updateMember(values.orgUuid, values.userUuid, { role: values.role }, signal),
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

const settingsOf = (api: MainApi) =>
  organizationSettingsMachine.provide({
    actors: {
      loadOrganization: fromPromise<OrganizationDetails, OfOrganization>(({ input, signal }) =>
        api.organization(input.orgUuid, signal),
      ),
      detailsForm: detailsForm.provide({
        actors: {
          submit: fromPromise<OrganizationDetails, Submitted<OrganizationSaved>>(
            ({
              input: {
                values: { orgUuid, name, contact_email },
              },
              signal,
            }) => api.updateOrganization(orgUuid, { name, contact_email }, signal),
          ),
        },
      }),
      deletionForm: deletionForm.provide({
        actors: {
          submit: fromPromise<void, Submitted<OfOrganization>>(async ({ input, signal }) => {
            await api.deleteOrganization(input.values.orgUuid, signal);
          }),
        },
      }),
    },
  });
