// Models the settings of one project: its name and description, who reaches it, and its end.
// Owned by the workspace while the screen is open; what it changes there is told, so that all of the console shows it.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { ProjectDetails } from '#contract/organizations.ts';
import { type Failure, failureOf } from '../../../shared/failure.ts';
import { draftOf, type Draft } from '../../../shared/form/drafts.ts';
import { formEnds, givenAnswer, isDone } from '../../../shared/form/ends.ts';
import { tellParent } from '../../../shared/parent.ts';
import { announce } from '../../../shared/residents.ts';
import { projectPeopleMachine } from '../projectPeople/machine.ts';
import type { ToastRequested } from '../../../root/toasts/machine.ts';
import type { MembershipsStale } from '../../context.ts';
import { loadProject } from './actors.ts';
import { projectDeletionForm, projectDetailsForm } from './forms.ts';
import { given, givenOutput } from '../../../shared/given.ts';

type Input = {
  orgUuid: string;
  projectUuid: string;
  /** What was typed before the person signed in again. */
  drafts: readonly Draft[];
};

const SAVED = 'Success! Project was saved.';
const DELETED = 'Success! Project was deleted.';

const setupSettings = setup({
  types: {} as {
    context: Input & { project: ProjectDetails | null; failure: Failure | null };
    input: Input;
    events: { type: 'retry.requested' } | { type: 'deletion.requested' };
    tags: 'loading' | 'failed' | 'deleted';
    children: {
      loadProject: 'loadProject';
      projectDetailsForm: 'projectDetailsForm';
      projectPeople: 'projectPeople';
      projectDeletionForm: 'projectDeletionForm';
    };
  },
  actors: { loadProject, projectDetailsForm, projectPeople: projectPeopleMachine, projectDeletionForm },
  guards: { isDone },
  actions: {
    keepProject: assign((_, project: ProjectDetails) => ({ project, failure: null })),
    keepFailure: assign(failureOf),
    forgetDrafts: assign({ drafts: [] }),
    tell: tellParent<MembershipsStale>(),
    announce: announce<ToastRequested>(),
  },
});

const details = setupSettings.createStateConfig({
  invoke: {
    id: 'projectDetailsForm',
    src: 'projectDetailsForm',
    input: ({ context: { projectUuid, project, drafts } }) => ({
      initial: { projectUuid, name: project?.name ?? '', description: project?.description ?? '' },
      draft: draftOf(drafts, 'projectDetailsForm', { projectUuid }),
    }),
    onDone: formEnds(
      {
        target: 'details',
        reenter: true,
        actions: [
          givenAnswer('keepProject'),
          'forgetDrafts',
          { type: 'tell', params: { type: 'memberships.stale', route: null } },
          { type: 'announce', params: { type: 'toast.requested', kind: 'success', text: SAVED } },
        ],
      },
      { target: 'details', reenter: true },
    ),
  },
});

const people = setupSettings.createStateConfig({
  invoke: {
    id: 'projectPeople',
    src: 'projectPeople',
    input: ({ context: { orgUuid, projectUuid } }) => ({ orgUuid, projectUuid }),
  },
});

const deletion = setupSettings.createStateConfig({
  initial: 'closed',
  states: {
    closed: { on: { 'deletion.requested': 'asking' } },
    asking: {
      invoke: {
        id: 'projectDeletionForm',
        src: 'projectDeletionForm',
        input: ({ context: { projectUuid, project } }) => ({ initial: { projectUuid, name: project?.name ?? '' } }),
        onDone: formEnds(
          {
            target: 'deleted',
            actions: [
              {
                type: 'tell',
                params: ({ context }: { context: Input }) => ({
                  type: 'memberships.stale' as const,
                  route: { screen: 'organization' as const, orgUuid: context.orgUuid },
                }),
              },
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

export const projectSettingsMachine = setupSettings.createMachine({
  id: 'projectSettings',
  context: ({ input }) => ({ ...input, project: null, failure: null }),
  initial: 'loading',
  states: {
    loading: {
      tags: 'loading',
      invoke: {
        id: 'loadProject',
        src: 'loadProject',
        input: ({ context }) => ({ projectUuid: context.projectUuid }),
        onDone: {
          target: 'ready',
          actions: givenOutput('keepProject'),
        },
        onError: { target: 'failed', actions: given('keepFailure') },
      },
    },
    failed: { tags: 'failed', on: { 'retry.requested': 'loading' } },
    ready: { type: 'parallel', states: { details, people, deletion } },
  },
});

export type ProjectSettingsActor = ActorRefFrom<typeof projectSettingsMachine>;
