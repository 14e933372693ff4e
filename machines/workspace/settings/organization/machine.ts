// Models the settings of one organization: its name and contact e-mail, and its end.
// Owned by the workspace while the screen is open; what it changes there is told, so that all of the console shows it.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { OrganizationDetails } from '#contract/organizations.ts';
import { may, type Role } from '#contract/roles.ts';
import { type Failure, failureOf } from '../../../shared/failure.ts';
import { draftOf, type Draft } from '../../../shared/form/drafts.ts';
import { formEnds, givenAnswer, isDone } from '../../../shared/form/ends.ts';
import { tellParent } from '../../../shared/parent.ts';
import { announce } from '../../../shared/residents.ts';
import type { ToastRequested } from '../../../root/toasts/machine.ts';
import type { MembershipsStale } from '../../context.ts';
import { loadOrganization } from './actors.ts';
import { deletionForm, detailsForm } from './forms.ts';
import { given, givenOutput } from '../../../shared/given.ts';

type SettingsContext = {
  orgUuid: string;
  /** Of the person whose screen it is. */
  role: Role;
  organization: OrganizationDetails | null;
  failure: Failure | null;
  /** What was typed before the session ended in the middle. */
  drafts: readonly Draft[];
};

const SAVED = 'Success! Organization was saved.';
const DELETED = 'Success! Organization was deleted.';

const setupSettings = setup({
  types: {} as {
    context: SettingsContext;
    input: { orgUuid: string; role: Role; drafts: readonly Draft[] };
    events: { type: 'retry.requested' } | { type: 'deletion.requested' };
    tags: 'loading' | 'failed' | 'deleted';
    children: { loadOrganization: 'loadOrganization'; detailsForm: 'detailsForm'; deletionForm: 'deletionForm' };
  },
  actors: { loadOrganization, detailsForm, deletionForm },
  guards: {
    isDone,
    mayDelete: ({ context }) => may(context.role, 'organization.delete'),
  },
  actions: {
    keepOrganization: assign((_, organization: OrganizationDetails) => ({ organization, failure: null })),
    keepFailure: assign(failureOf),
    forgetDrafts: assign({ drafts: [] }),
    tell: tellParent<MembershipsStale>(),
    announce: announce<ToastRequested>(),
  },
});

const details = setupSettings.createStateConfig({
  invoke: {
    id: 'detailsForm',
    src: 'detailsForm',
    input: ({ context: { orgUuid, organization, drafts } }) => ({
      initial: { orgUuid, name: organization?.name ?? '', contact_email: organization?.contact_email ?? '' },
      draft: draftOf(drafts, 'detailsForm', { orgUuid }),
    }),
    onDone: formEnds(
      {
        target: 'details',
        reenter: true,
        actions: [
          'forgetDrafts',
          givenAnswer('keepOrganization'),
          { type: 'tell', params: { type: 'memberships.stale', route: null } },
          { type: 'announce', params: { type: 'toast.requested', kind: 'success', text: SAVED } },
        ],
      },
      { target: 'details', reenter: true },
    ),
  },
});

const deletion = setupSettings.createStateConfig({
  initial: 'closed',
  states: {
    closed: { on: { 'deletion.requested': { guard: 'mayDelete', target: 'asking' } } },
    asking: {
      invoke: {
        id: 'deletionForm',
        src: 'deletionForm',
        input: ({ context: { orgUuid, organization } }) => ({ initial: { orgUuid, name: organization?.name ?? '' } }),
        onDone: formEnds(
          {
            target: 'deleted',
            actions: [
              { type: 'tell', params: { type: 'memberships.stale', route: { screen: 'home' } } },
              { type: 'announce', params: { type: 'toast.requested', kind: 'success', text: DELETED } },
            ],
          },
          { target: 'closed' },
        ),
      },
    },
    // Until the console has gone elsewhere.
    deleted: { tags: 'deleted' },
  },
});

export const organizationSettingsMachine = setupSettings.createMachine({
  id: 'organizationSettings',
  context: ({ input }) => ({ ...input, organization: null, failure: null }),
  initial: 'loading',
  states: {
    loading: {
      tags: 'loading',
      invoke: {
        id: 'loadOrganization',
        src: 'loadOrganization',
        input: ({ context }) => ({ orgUuid: context.orgUuid }),
        onDone: {
          target: 'ready',
          actions: givenOutput('keepOrganization'),
        },
        onError: { target: 'failed', actions: given('keepFailure') },
      },
    },
    failed: { tags: 'failed', on: { 'retry.requested': 'loading' } },
    ready: { type: 'parallel', states: { details, deletion } },
  },
});

export type OrganizationSettingsActor = ActorRefFrom<typeof organizationSettingsMachine>;
