// Models who belongs to an organization and who is invited: roles changed, members and invitations removed, and leaving.
// Owned by the workspace while the screen of the members is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { Member } from '#contract/members.ts';
import type { Role } from '#contract/roles.ts';
import { type Failure, failureOf, isGone, toFailure } from '../../shared/failure.ts';
import { memberRemovalMachine } from '../memberRemoval/machine.ts';
import { formEnds, givenAnswer, isDone } from '../../shared/form/ends.ts';
import { tellParent } from '../../shared/parent.ts';
import { announce } from '../../shared/residents.ts';
import type { ToastRequested } from '../../root/toasts/machine.ts';
import type { MembershipsStale } from '../context.ts';
import { loadMember, loadPeople, removeEntry, type EntryKind, type EntryRemoval, type People } from './actors.ts';
import { roleForm } from './form.ts';
import { mayRemove, rolesFor, seesInvitations, type Known } from './select.ts';
import { GONE_WITH_KEYS, LEFT, MEMBER_NOT_READ, REMOVED, REMOVED_WITH_KEYS, ROLE_CHANGED } from './texts.ts';
import { given, givenOutput } from '../../shared/given.ts';

/** What is to go; `name` is shown under the question, `index` is where it stood. */
export type Entry = { kind: EntryKind; uuid: string; name: string };

type MembersContext = Known & {
  orgUuid: string;
  failure: Failure | null;
  /** Whose role is being changed. */
  changing: Member | null;
  /** The last entry that was asked about, and where it stood: the focus goes there. */
  asked: (Entry & { index: number }) | null;
  /** Whether the API keys of the member who goes are revoked. */
  revokesKeys: boolean;
  /** The lists as they were before a removal that the server has not agreed to yet. */
  before: People | null;
  /** Others have changed something since the lists were asked for. */
  isStale: boolean;
};

const setupMembers = setup({
  types: {} as {
    context: MembersContext;
    input: { orgUuid: string; userUuid: string; role: Role };
    events:
      | { type: 'retry.requested' }
      /** Somebody joined, left or has another role: read again as soon as nothing is under way. */
      | { type: 'people.stale' }
      | { type: 'role.change.requested'; member: Member }
      | { type: 'removal.requested'; entry: Entry }
      | { type: 'removal.confirmed' }
      | { type: 'removal.dismissed' };
    tags: 'loading' | 'failed' | 'confirming' | 'busy' | 'left' | 'outdated';
    children: {
      loadPeople: 'loadPeople';
      loadMember: 'loadMember';
      roleForm: 'roleForm';
      memberRemoval: 'memberRemoval';
      removeEntry: 'removeEntry';
    };
  },
  actors: { loadPeople, loadMember, roleForm, memberRemoval: memberRemovalMachine, removeEntry },
  guards: {
    isDone,
    isOwnDone: ({ context }, { outcome }: { outcome: string }) =>
      outcome === 'done' && context.changing?.uuid === context.userUuid,
    mayChange: ({ context }, { member }: { member: Member }) =>
      context.members.some(({ uuid }) => uuid === member.uuid) && rolesFor(context, member).length > 0,
    mayRemove: ({ context }, { entry }: { entry: Entry }) => mayRemove(context, entry),
    isOtherMember: ({ context }, { entry }: { entry: Entry }) =>
      entry.kind === 'member' && entry.uuid !== context.userUuid && mayRemove(context, entry),
    isConfirmed: (_, { isConfirmed }: { isConfirmed: boolean }) => isConfirmed,
    /** Somebody else was quicker: what was wanted is so. */
    isGone: (_, { error }: { error: unknown }) => isGone(error),
    isStale: ({ context }) => context.isStale,
    isLeaving: ({ context }) => context.asked?.uuid === context.userUuid,
  },
  actions: {
    keepPeople: assign((_, people: People) => ({ ...people, failure: null })),
    noteStale: assign({ isStale: true }),
    forgetStale: assign({ isStale: false }),
    keepFailure: assign(failureOf),
    keepChanging: assign((_, { member }: { member: Member }) => ({ changing: member })),
    forgetChanging: assign({ changing: null }),
    keepMember: assign(({ context }, member: Member) => ({
      members: context.members.map((other) => (other.uuid === member.uuid ? member : other)),
    })),
    keepOwnRole: assign((_, { role }: Member) => ({ role })),
    keepAsked: assign(({ context }, { entry }: { entry: Entry }) => ({
      asked: { ...entry, index: listOf(context, entry.kind).findIndex(({ uuid }) => uuid === entry.uuid) },
      revokesKeys: false,
    })),
    keepChoice: assign((_, { revokesKeys }: { revokesKeys: boolean }) => ({ revokesKeys })),
    takeOut: assign(({ context: { members, invitations, asked } }) => ({
      before: { members, invitations },
      members: members.filter(({ uuid }) => uuid !== asked?.uuid),
      invitations: invitations.filter(({ uuid }) => uuid !== asked?.uuid),
    })),
    putBack: assign(({ context }) => ({ ...context.before, before: null })),
    forgetBefore: assign({ before: null }),
    tell: tellParent<MembershipsStale>(),
    announce: announce<ToastRequested>(),
  },
});

const listOf = ({ members, invitations }: Known, kind: EntryKind): readonly { uuid: string }[] =>
  kind === 'member' ? members : invitations;

/** What the server is asked to take out; only asked for where the person has confirmed. */
const removalOf = ({ orgUuid, asked, revokesKeys }: MembersContext): EntryRemoval => ({
  orgUuid,
  kind: asked?.kind ?? 'member',
  uuid: asked?.uuid ?? '',
  revokesKeys,
});

const removedText = ({ asked, revokesKeys }: MembersContext): string =>
  revokesKeys ? REMOVED_WITH_KEYS : REMOVED[asked?.kind ?? 'member'].success;

/** Whether the keys of somebody went with a removal that was not this one, nobody here knows. */
const goneToast = ({ asked, revokesKeys }: MembersContext): ToastRequested =>
  revokesKeys
    ? { type: 'toast.requested', kind: 'notice', text: GONE_WITH_KEYS }
    : { type: 'toast.requested', kind: 'success', text: REMOVED[asked?.kind ?? 'member'].success };

const because = (text: string, error: unknown): string => `${text} ${toFailure(error).message}`;

export const membersMachine = setupMembers.createMachine({
  id: 'members',
  context: ({ input }) => ({
    ...input,
    members: [],
    invitations: [],
    failure: null,
    changing: null,
    asked: null,
    revokesKeys: false,
    before: null,
    isStale: false,
  }),
  initial: 'loading',
  on: { 'people.stale': { actions: 'noteStale' } },
  states: {
    loading: {
      tags: 'loading',
      entry: 'forgetStale',
      invoke: {
        id: 'loadPeople',
        src: 'loadPeople',
        input: ({ context }) => ({ orgUuid: context.orgUuid, withInvitations: seesInvitations(context) }),
        onDone: { target: 'ready', actions: givenOutput('keepPeople') },
        onError: { target: 'failed', actions: given('keepFailure') },
      },
    },
    failed: { tags: 'failed', on: { 'retry.requested': 'loading' } },
    ready: {
      initial: 'listed',
      states: {
        listed: {
          initial: 'current',
          states: {
            current: { always: { guard: 'isStale', target: 'rereading' } },
            // The lists stay, and can be used meanwhile.
            rereading: {
              invoke: {
                id: 'loadPeople',
                src: 'loadPeople',
                input: ({ context }) => ({ orgUuid: context.orgUuid, withInvitations: seesInvitations(context) }),
                onDone: { target: 'current', actions: [givenOutput('keepPeople'), 'forgetStale'] },
                onError: { target: 'outdated', actions: given('keepFailure') },
              },
              on: { 'people.stale': { target: 'rereading', reenter: true } },
            },
            outdated: {
              tags: 'outdated',
              on: { 'people.stale': 'rereading', 'retry.requested': 'rereading' },
            },
          },
          on: {
            'role.change.requested': {
              guard: given('mayChange'),
              target: 'readingMember',
              actions: given('keepChanging'),
            },
            'removal.requested': [
              {
                guard: given('isOtherMember'),
                target: 'confirmingMember',
                actions: given('keepAsked'),
              },
              {
                guard: given('mayRemove'),
                target: 'confirming',
                actions: given('keepAsked'),
              },
            ],
          },
        },
        // Somebody else may have changed it since the list was read.
        readingMember: {
          tags: 'busy',
          invoke: {
            id: 'loadMember',
            src: 'loadMember',
            input: ({ context: { orgUuid, changing } }) => ({ orgUuid, userUuid: changing?.uuid ?? '' }),
            onDone: [
              {
                guard: { type: 'mayChange', params: ({ event }) => ({ member: event.output }) },
                target: 'changingRole',
                actions: [
                  givenOutput('keepMember'),
                  { type: 'keepChanging', params: ({ event }) => ({ member: event.output }) },
                ],
              },
              {
                target: 'listed',
                actions: [givenOutput('keepMember'), 'forgetChanging'],
              },
            ],
            onError: {
              target: '#members.loading',
              actions: [
                'forgetChanging',
                {
                  type: 'announce',
                  params: ({ event }) => ({
                    type: 'toast.requested',
                    kind: 'error',
                    text: because(MEMBER_NOT_READ, event.error),
                  }),
                },
              ],
            },
          },
        },
        changingRole: {
          exit: 'forgetChanging',
          invoke: {
            id: 'roleForm',
            src: 'roleForm',
            input: ({ context: { orgUuid, changing } }) => ({
              initial: { orgUuid, userUuid: changing?.uuid ?? '', role: changing?.role ?? '' },
            }),
            onDone: [
              {
                // What one may do oneself has changed: all of the console has to know.
                guard: givenOutput('isOwnDone'),
                target: 'listed',
                actions: [
                  givenAnswer('keepMember'),
                  givenAnswer('keepOwnRole'),
                  { type: 'tell', params: { type: 'memberships.stale', route: null } },
                  { type: 'announce', params: { type: 'toast.requested', kind: 'success', text: ROLE_CHANGED } },
                ],
              },
              ...formEnds(
                {
                  target: 'listed',
                  actions: [
                    givenAnswer('keepMember'),
                    { type: 'announce', params: { type: 'toast.requested', kind: 'success', text: ROLE_CHANGED } },
                  ],
                },
                { target: 'listed' },
              ),
            ],
          },
        },
        // The question has a chart of its own: whoever removes somebody else is told which API keys these made.
        confirmingMember: {
          tags: 'confirming',
          invoke: {
            id: 'memberRemoval',
            src: 'memberRemoval',
            input: ({ context: { orgUuid, asked } }) => ({ orgUuid, userUuid: asked?.uuid ?? '', projectUuid: null }),
            onDone: [
              {
                guard: givenOutput('isConfirmed'),
                target: 'removing',
                actions: givenOutput('keepChoice'),
              },
              { target: 'listed' },
            ],
          },
        },
        // An invitation, or oneself.
        confirming: {
          tags: 'confirming',
          on: {
            'removal.confirmed': [{ guard: 'isLeaving', target: 'leaving' }, { target: 'removing' }],
            'removal.dismissed': 'listed',
          },
        },
        // The row goes at once, and comes back where the server refuses.
        removing: {
          tags: 'busy',
          entry: 'takeOut',
          invoke: {
            id: 'removeEntry',
            src: 'removeEntry',
            input: ({ context }) => removalOf(context),
            onDone: {
              target: 'listed',
              actions: [
                'forgetBefore',
                {
                  type: 'announce',
                  params: ({ context }) => ({ type: 'toast.requested', kind: 'success', text: removedText(context) }),
                },
              ],
            },
            onError: [
              {
                guard: given('isGone'),
                target: 'listed',
                actions: ['forgetBefore', { type: 'announce', params: ({ context }) => goneToast(context) }],
              },
              {
                target: 'listed',
                actions: [
                  'putBack',
                  {
                    type: 'announce',
                    params: ({ context, event }) => ({
                      type: 'toast.requested',
                      kind: 'error',
                      text: because(REMOVED[context.asked?.kind ?? 'member'].error, event.error),
                    }),
                  },
                ],
              },
            ],
          },
        },
        leaving: {
          tags: 'busy',
          invoke: {
            id: 'removeEntry',
            src: 'removeEntry',
            input: ({ context }) => removalOf(context),
            onDone: {
              target: 'left',
              actions: [
                { type: 'tell', params: { type: 'memberships.stale', route: { screen: 'home' } } },
                { type: 'announce', params: { type: 'toast.requested', kind: 'success', text: LEFT.success } },
              ],
            },
            onError: [
              {
                guard: given('isGone'),
                target: 'left',
                actions: [
                  { type: 'tell', params: { type: 'memberships.stale', route: { screen: 'home' } } },
                  { type: 'announce', params: { type: 'toast.requested', kind: 'success', text: LEFT.success } },
                ],
              },
              {
                target: 'listed',
                actions: {
                  type: 'announce',
                  params: ({ event }) => ({
                    type: 'toast.requested',
                    kind: 'error',
                    text: because(LEFT.error, event.error),
                  }),
                },
              },
            ],
          },
        },
        // Until the console has gone elsewhere.
        left: { tags: 'left' },
      },
    },
  },
});

export type MembersActor = ActorRefFrom<typeof membersMachine>;
