// Models an organization's members and invitations: changing roles, removing members and invitations, and leaving.
// Owned by the workspace, while the screen of the members is open.
import type { ActorRefFrom } from 'xstate';
import { formEnds, givenAnswer } from '../../shared/form/ends.ts';
import { seesInvitations } from './select.ts';
import { LEFT, MEMBER_NOT_READ, REMOVED, ROLE_CHANGED } from './texts.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { reading } from '../../shared/loaded.ts';
import { UNREAD } from '../../shared/unread.ts';
import { goneToast, removalOf, removedText, setupMembers, type MembersContext } from './setup.ts';
import { failure, failureToast, success, successToast } from '../say.ts';

export type { Entry } from './setup.ts';

const wanted = (context: MembersContext) => ({ orgUuid: context.orgUuid, withInvitations: seesInvitations(context) });

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
  on: { 'screen.stale': { actions: 'noteStale' } },
  states: {
    loading: {
      tags: 'loading',
      entry: 'clearStale',
      invoke: reading('loadPeople', wanted, 'failed', { target: 'ready', actions: withOutput('setPeople') }),
    },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } },
    ready: {
      initial: 'listed',
      states: {
        listed: {
          initial: 'current',
          states: {
            current: { always: { guard: 'isStale', target: 'rereading' } },
            // The lists stay usable meanwhile.
            rereading: {
              invoke: reading('loadPeople', wanted, 'outdated', {
                target: 'current',
                actions: [withOutput('setPeople'), 'clearStale'],
              }),
              on: { 'screen.stale': { target: 'rereading', reenter: true } },
            },
            outdated: {
              tags: 'outdated',
              meta: UNREAD,
              on: { 'screen.stale': 'rereading', 'retry.requested': 'rereading' },
            },
          },
          on: {
            'role.change.requested': {
              guard: withEvent('mayChange'),
              target: 'readingMember',
              actions: withEvent('setChanging'),
            },
            'removal.requested': [
              {
                guard: withEvent('isOtherMember'),
                target: 'confirmingMember',
                actions: withEvent('setAsked'),
              },
              {
                guard: withEvent('mayRemove'),
                target: 'confirming',
                actions: withEvent('setAsked'),
              },
            ],
          },
        },
        // Reads the member again, because somebody else may have changed the role.
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
                  withOutput('setMember'),
                  { type: 'setChanging', params: ({ event }) => ({ member: event.output }) },
                ],
              },
              {
                target: 'listed',
                actions: [withOutput('setMember'), 'clearChanging'],
              },
            ],
            onError: {
              target: '#members.loading',
              actions: ['clearChanging', failure(MEMBER_NOT_READ)],
            },
          },
        },
        changingRole: {
          exit: 'clearChanging',
          invoke: {
            id: 'roleForm',
            src: 'roleForm',
            input: ({ context: { orgUuid, changing } }) => ({
              about: { orgUuid, userUuid: changing?.uuid ?? '' },
              initial: { role: changing?.role ?? '' },
            }),
            onDone: [
              {
                // The person changed their own role, which the whole console has to know.
                guard: withOutput('isOwnRoleChanged'),
                target: 'listed',
                actions: [
                  givenAnswer('setMember'),
                  givenAnswer('setOwnRole'),
                  { type: 'notifyParent', params: { type: 'memberships.stale', route: null } },
                  success(ROLE_CHANGED),
                ],
              },
              ...formEnds(
                {
                  target: 'listed',
                  actions: [givenAnswer('setMember'), success(ROLE_CHANGED)],
                },
                { target: 'listed' },
              ),
            ],
          },
        },
        // A separate chart asks, because it also shows the member's API keys.
        confirmingMember: {
          tags: 'confirming',
          invoke: {
            id: 'memberRemoval',
            src: 'memberRemoval',
            input: ({ context: { orgUuid, asked } }) => ({ orgUuid, userUuid: asked?.uuid ?? '', projectUuid: null }),
            onDone: [
              {
                guard: withOutput('isConfirmed'),
                target: 'removing',
                actions: withOutput('setChoice'),
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
        // The row goes at once, and returns if the server refuses.
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
                'clearBefore',
                {
                  type: 'sendToApp',
                  params: ({ context }) => successToast(removedText(context)),
                },
              ],
            },
            onError: [
              {
                guard: withEvent('isGone'),
                target: 'listed',
                actions: ['clearBefore', { type: 'sendToApp', params: ({ context }) => goneToast(context) }],
              },
              {
                target: 'listed',
                actions: [
                  'putBack',
                  {
                    type: 'sendToApp',
                    params: ({ context, event }) =>
                      failureToast(REMOVED[context.asked?.kind ?? 'member'].error, event.error),
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
                { type: 'notifyParent', params: { type: 'memberships.stale', route: { screen: 'welcome' } } },
                success(LEFT.success),
              ],
            },
            onError: [
              {
                guard: withEvent('isGone'),
                target: 'left',
                actions: [
                  { type: 'notifyParent', params: { type: 'memberships.stale', route: { screen: 'welcome' } } },
                  success(LEFT.success),
                ],
              },
              {
                target: 'listed',
                actions: failure(LEFT.error),
              },
            ],
          },
        },
        // Waits for the navigation.
        left: { tags: 'left' },
      },
    },
  },
});

export type MembersActor = ActorRefFrom<typeof membersMachine>;
