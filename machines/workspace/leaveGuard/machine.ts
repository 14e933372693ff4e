// Models the console's leave guard: it asks before any way out that would lose unsaved work (CON-01).
// Owned by the workspace. Unsaved work registers itself (unsavedWork.ts); `navigationBlocker` blocks the navigation.
import { assign, not, sendTo, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { sendToApp, type ReloadConfirmed, type SignOutRequested } from '../../shared/appServices.ts';
import type { Route } from '../../shared/route.ts';
import { navigationBlocker, type DepartureTried, type BlockerCommand } from './actors.ts';
import { isDiscarded } from './discards.ts';
import type { PlaceEvent, UnsavedWork, UnsavedWorkEvent } from '../../shared/unsavedWork.ts';
import { withEvent } from '../../shared/withEvent.ts';

/** Where the person wanted to go. */
export type Departure = { way: 'route'; from: Route; to: Route } | { way: 'signOut' } | ({ way: 'reload' } & Heard);

/** Whether a live session has ended whose text is nowhere but in the page. */
type Heard = { isHeard: boolean };

/** The page is to be loaded anew. */
export type ReloadRequested = { type: 'reload.requested' } & Heard;

type LeaveGuardContext = {
  unsavedWork: readonly (UnsavedWork & { id: string })[];
  departure: Departure | null;
  /** Why the place of the open screen is gone, a sentence; null while it is there. */
  removalReason: string | null;
};

const setupLeaveGuard = setup({
  types: {} as {
    context: LeaveGuardContext;
    events:
      | UnsavedWorkEvent
      | PlaceEvent
      | DepartureTried
      | { type: 'signOut.requested' }
      | ReloadRequested
      | { type: 'stay.chosen' }
      | { type: 'leave.chosen' }
      | { type: 'route.changed' };
    tags: 'asking';
    children: { navigationBlocker: 'navigationBlocker' };
  },
  actors: { navigationBlocker },
  guards: {
    hasUnsavedWork: ({ context }) => context.unsavedWork.length > 0,
    isDiscarding: ({ context }, { from, to }: { from: Route; to: Route }) =>
      context.unsavedWork.some((work) => isDiscarded(work, from, to)),
    isMoot: ({ context: { departure, unsavedWork } }) =>
      departure?.way === 'route' && !unsavedWork.some((work) => isDiscarded(work, departure.from, departure.to)),
    isSignOut: ({ context }) => context.departure?.way === 'signOut',
    isReload: ({ context }) => context.departure?.way === 'reload',
    hasHeard: (_, { isHeard }: Heard) => isHeard,
  },
  actions: {
    addWork: assign(({ context }, { id, work }: { id: string; work: UnsavedWork }) => ({
      unsavedWork: [...context.unsavedWork, { ...work, id }],
    })),
    removeWork: assign(({ context }, { id }: { id: string }) => ({
      unsavedWork: context.unsavedWork.filter((work) => work.id !== id),
    })),
    setDeparture: assign((_, { from, to }: { from: Route; to: Route }) => ({
      departure: { way: 'route' as const, from, to },
    })),
    setSignOut: assign({ departure: { way: 'signOut' } }),
    setReload: assign((_, { isHeard }: Heard) => ({ departure: { way: 'reload' as const, isHeard } })),
    setRemovalReason: assign((_, { reason }: { reason: string }) => ({ removalReason: reason })),
    clearRemovalReason: assign({ removalReason: null }),
    clearDeparture: assign({ departure: null }),
    release: sendTo('navigationBlocker', (): BlockerCommand => ({ type: 'departure.released' })),
    sendToApp: sendToApp<SignOutRequested | ReloadConfirmed>(),
  },
});

export const leaveGuardMachine = setupLeaveGuard.createMachine({
  id: 'leaveGuard',
  context: { unsavedWork: [], departure: null, removalReason: null },
  on: {
    'unsavedWork.added': { actions: withEvent('addWork') },
    'unsavedWork.removed': { actions: withEvent('removeWork') },
    'place.removed': { actions: withEvent('setRemovalReason') },
    'place.back': { actions: 'clearRemovalReason' },
  },
  initial: 'free',
  states: {
    free: {
      always: { guard: 'hasUnsavedWork', target: 'blocking' },
      on: {
        'signOut.requested': { actions: { type: 'sendToApp', params: { type: 'signOut.requested' } } },
        'reload.requested': [
          { guard: withEvent('hasHeard'), target: 'warning', actions: withEvent('setReload') },
          { actions: { type: 'sendToApp', params: { type: 'reload.confirmed' } } },
        ],
      },
    },
    // Only what was heard would be lost, and only by loading the page anew.
    warning: {
      tags: 'asking',
      exit: 'clearDeparture',
      on: {
        'stay.chosen': 'free',
        'leave.chosen': { target: 'free', actions: { type: 'sendToApp', params: { type: 'reload.confirmed' } } },
        'signOut.requested': {
          target: 'free',
          actions: { type: 'sendToApp', params: { type: 'signOut.requested' } },
        },
      },
    },
    blocking: {
      // What was asked about is over: who wanted to go can go now, and was not sent away unasked.
      always: { guard: not('hasUnsavedWork'), target: 'free' },
      exit: 'clearDeparture',
      invoke: { id: 'navigationBlocker', src: 'navigationBlocker', input: ({ self }) => ({ guard: self }) },
      initial: 'watching',
      states: {
        watching: {
          on: {
            'departure.tried': {
              guard: withEvent('isDiscarding'),
              target: 'asking',
              actions: withEvent('setDeparture'),
            },
            'signOut.requested': { target: 'asking', actions: 'setSignOut' },
            'reload.requested': { target: 'asking', actions: withEvent('setReload') },
          },
        },
        asking: {
          tags: 'asking',
          // Nothing that this way would lose is left.
          always: { guard: 'isMoot', target: 'watching', actions: 'clearDeparture' },
          on: {
            // The last try counts.
            'departure.tried': { guard: withEvent('isDiscarding'), actions: withEvent('setDeparture') },
            'signOut.requested': { actions: 'setSignOut' },
            'reload.requested': { actions: withEvent('setReload') },
            'stay.chosen': { target: 'watching', actions: 'clearDeparture' },
            'leave.chosen': [
              {
                guard: 'isSignOut',
                target: 'leaving',
                actions: { type: 'sendToApp', params: { type: 'signOut.requested' } },
              },
              {
                guard: 'isReload',
                target: 'watching',
                actions: ['clearDeparture', { type: 'sendToApp', params: { type: 'reload.confirmed' } }],
              },
              { target: 'leaving', actions: 'release' },
            ],
          },
        },
        // Whoever has been let go is not asked again on the way: a short address leads on by itself.
        leaving: {
          on: {
            'signOut.requested': { actions: { type: 'sendToApp', params: { type: 'signOut.requested' } } },
            // Where the next screen does not come, what was let go is still there.
            'reload.requested': { target: 'asking', actions: withEvent('setReload') },
            'route.changed': { target: 'watching', actions: 'clearDeparture' },
          },
        },
      },
    },
  },
});

export type LeaveGuardActor = ActorRefFrom<typeof leaveGuardMachine>;
export type LeaveGuardSnapshot = SnapshotFrom<typeof leaveGuardMachine>;
