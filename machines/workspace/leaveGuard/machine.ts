// Models the console's leave guard: it asks before the person loses unsaved work by leaving (CON-01).
// Owned by the workspace. Unsaved work registers itself (unsavedWork.ts); `navigationBlocker` blocks the navigation.
import { assign, not, sendTo, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { sendToApp, type ReloadConfirmed, type SignOutRequested } from '../../shared/appServices.ts';
import type { Route } from '../../shared/route.ts';
import { navigationBlocker, type DepartureTried, type BlockerCommand } from './actors.ts';
import { isDiscarded } from './discards.ts';
import type { PlaceEvent } from '../../shared/form/types.ts';
import type { UnsavedWork, UnsavedWorkEvent } from '../../shared/unsavedWork.ts';
import { withEvent } from '../../shared/withEvent.ts';

/** Where the person wanted to go. */
export type Departure =
  | { way: 'route'; from: Route; to: Route }
  | { way: 'signOut' }
  | ({ way: 'reload' } & UnsavedTranscript);

/** `hasTranscript`: the page has the transcript of an ended live session that is not saved. */
type UnsavedTranscript = { hasTranscript: boolean };

export type ReloadRequested = { type: 'reload.requested' } & UnsavedTranscript;

type LeaveGuardContext = {
  unsavedWork: readonly (UnsavedWork & { id: string })[];
  departure: Departure | null;
  /** Why the open screen's place is gone, a sentence; null while it is there. */
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
    hasTranscript: (_, { hasTranscript }: UnsavedTranscript) => hasTranscript,
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
    setReload: assign((_, { hasTranscript }: UnsavedTranscript) => ({
      departure: { way: 'reload' as const, hasTranscript },
    })),
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
          { guard: withEvent('hasTranscript'), target: 'warning', actions: withEvent('setReload') },
          { actions: { type: 'sendToApp', params: { type: 'reload.confirmed' } } },
        ],
      },
    },
    // No unsaved work but a live transcript, which only a reload loses.
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
      // The unsaved work is gone. The person stays, and may now leave.
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
          // This departure no longer loses anything.
          always: { guard: 'isMoot', target: 'watching', actions: 'clearDeparture' },
          on: {
            // The latest departure counts.
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
        // Does not ask again: a short address redirects on the way.
        leaving: {
          on: {
            'signOut.requested': { actions: { type: 'sendToApp', params: { type: 'signOut.requested' } } },
            // If the next screen does not load, the unsaved work is still there.
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
