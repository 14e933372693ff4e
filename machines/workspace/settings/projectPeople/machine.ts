// Models the people with access to a project: the list, adding a member of the organization, and removing an added one.
// Owned by the project's settings.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { ProjectMember } from '#contract/members.ts';
import { type Failure, failureOf, isGone } from '../../../shared/failure.ts';
import { memberRemovalMachine } from '../../memberRemoval/machine.ts';
import { sendToApp, type ToastRequested } from '../../../shared/appServices.ts';
import { addPerson, loadProjectPeople, removePerson, type ProjectPeople } from './actors.ts';
import { loadedStates } from '../../../shared/loaded.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { failure, success, successToast } from '../../say.ts';

type PeopleContext = ProjectPeople & {
  orgUuid: string;
  projectUuid: string;
  failure: Failure | null;
  /** UUID of the member to add, if chosen. */
  chosen: string | null;
  removing: ProjectMember | null;
  /** Whether to revoke the removed member's API keys. */
  revokesKeys: boolean;
};

const ADDED = 'Success! Member was added to the project.';
const NOT_ADDED = 'Error! Failed to add the member.';
const REMOVED = 'Success! Member was removed from the project.';
const REMOVED_WITH_KEYS = 'Success! Member was removed from the project, and every API key they made was revoked.';
const GONE_WITH_KEYS =
  'The member had already been removed from the project. Their API keys may still work: look for them among the API keys.';
const NOT_REMOVED = 'Error! Failed to remove the member.';

const setupPeople = setup({
  types: {} as {
    context: PeopleContext;
    input: { orgUuid: string; projectUuid: string };
    events:
      | { type: 'retry.requested' }
      /** Null clears the choice. */
      | { type: 'person.chosen'; userUuid: string | null }
      | { type: 'person.add.requested' }
      | { type: 'person.remove.requested'; person: ProjectMember };
    tags: 'loading' | 'failed' | 'confirming' | 'busy' | 'removing';
    children: {
      loadProjectPeople: 'loadProjectPeople';
      addPerson: 'addPerson';
      memberRemoval: 'memberRemoval';
      removePerson: 'removePerson';
    };
  },
  actors: { loadProjectPeople, addPerson, memberRemoval: memberRemovalMachine, removePerson },
  guards: {
    hasChosen: ({ context }) => context.others.some(({ uuid }) => uuid === context.chosen),
    isConfirmed: (_, { isConfirmed }: { isConfirmed: boolean }) => isConfirmed,
    /** Somebody else has removed them, which counts as success. */
    isGone: (_, { error }: { error: unknown }) => isGone(error),
    isAdded: (_, { person }: { person: ProjectMember }) => person.is_added,
  },
  actions: {
    setPeople: assign((_, people: ProjectPeople) => ({ ...people, failure: null })),
    setFailure: assign(failureOf),
    setChosen: assign((_, { userUuid }: { userUuid: string | null }) => ({ chosen: userUuid })),
    clearChosen: assign({ chosen: null }),
    setRemoving: assign((_, { person }: { person: ProjectMember }) => ({ removing: person, revokesKeys: false })),
    setChoice: assign((_, { revokesKeys }: { revokesKeys: boolean }) => ({ revokesKeys })),
    clearRemoving: assign({ removing: null }),
    sendToApp: sendToApp<ToastRequested>(),
  },
});

/** The toast if somebody else removed the member: whether they also revoked the keys is unknown. */
const goneToast = ({ revokesKeys }: PeopleContext): ToastRequested =>
  revokesKeys ? { type: 'toast.requested', kind: 'notice', text: GONE_WITH_KEYS } : successToast(REMOVED);
const placeOf = ({ orgUuid, projectUuid }: PeopleContext) => ({ orgUuid, projectUuid });
const wanted = ({ projectUuid }: PeopleContext, userUuid: string | null | undefined) => ({
  projectUuid,
  userUuid: userUuid ?? '',
});

export const projectPeopleMachine = setupPeople.createMachine({
  id: 'projectPeople',
  context: ({ input }) => ({
    ...input,
    people: [],
    others: [],
    failure: null,
    chosen: null,
    removing: null,
    revokesKeys: false,
  }),
  initial: 'loading',
  states: {
    ...loadedStates('loadProjectPeople', placeOf, { target: 'listed', actions: withOutput('setPeople') }),
    listed: {
      on: {
        'person.chosen': { actions: withEvent('setChosen') },
        'person.add.requested': { guard: 'hasChosen', target: 'adding' },
        'person.remove.requested': {
          guard: withEvent('isAdded'),
          target: 'confirming',
          actions: withEvent('setRemoving'),
        },
      },
    },
    adding: {
      tags: 'busy',
      invoke: {
        id: 'addPerson',
        src: 'addPerson',
        input: ({ context }) => wanted(context, context.chosen),
        // Read the list again, because only the server knows who has access now.
        onDone: {
          target: 'loading',
          actions: ['clearChosen', success(ADDED)],
        },
        onError: {
          target: 'listed',
          actions: failure(NOT_ADDED),
        },
      },
    },
    confirming: {
      tags: 'confirming',
      invoke: {
        id: 'memberRemoval',
        src: 'memberRemoval',
        input: ({ context: { orgUuid, projectUuid, removing } }) => ({
          orgUuid,
          userUuid: removing?.uuid ?? '',
          projectUuid,
        }),
        onDone: [
          {
            guard: withOutput('isConfirmed'),
            target: 'removing',
            actions: withOutput('setChoice'),
          },
          { target: 'listed', actions: 'clearRemoving' },
        ],
      },
    },
    removing: {
      tags: ['busy', 'removing'],
      exit: 'clearRemoving',
      invoke: {
        id: 'removePerson',
        src: 'removePerson',
        input: ({ context }) => ({ ...wanted(context, context.removing?.uuid), revokesKeys: context.revokesKeys }),
        onDone: {
          target: 'loading',
          actions: {
            type: 'sendToApp',
            params: ({ context: { revokesKeys } }) => successToast(revokesKeys ? REMOVED_WITH_KEYS : REMOVED),
          },
        },
        onError: [
          {
            guard: withEvent('isGone'),
            target: 'loading',
            actions: { type: 'sendToApp', params: ({ context }) => goneToast(context) },
          },
          { target: 'listed', actions: failure(NOT_REMOVED) },
        ],
      },
    },
  },
});

export type ProjectPeopleActor = ActorRefFrom<typeof projectPeopleMachine>;
