// Models the one guard of the console: whatever way leads away from what is at stake is asked about first (CON-01).
// Owned by the workspace. What is at stake registers itself (stake.ts); navigation is blocked by `navigationBlocker`.
import { assign, not, sendTo, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { announce, type ReloadConfirmed, type SignOutRequested } from '../../shared/residents.ts';
import type { Route } from '../../shared/route.ts';
import { navigationBlocker, type DepartureTried, type BlockerCommand } from './actors.ts';
import { isLost } from './losses.ts';
import type { PlaceTold, Stake, StakeEvent } from '../../shared/stake.ts';
import { withEvent } from '../../shared/withEvent.ts';

/** Where the person wanted to go. */
export type Departure = { way: 'route'; from: Route; to: Route } | { way: 'signOut' } | ({ way: 'reload' } & Heard);

/** Whether a live session has ended whose text is nowhere but in the page. */
type Heard = { isHeard: boolean };

/** The page is to be loaded anew. */
export type ReloadRequested = { type: 'reload.requested' } & Heard;

type LeavingContext = {
  stakes: readonly (Stake & { id: string })[];
  departure: Departure | null;
  /** Why the place of the open screen is gone, a sentence; null while it is there. */
  lost: string | null;
};

const setupLeaving = setup({
  types: {} as {
    context: LeavingContext;
    events:
      | StakeEvent
      | PlaceTold
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
    hasStakes: ({ context }) => context.stakes.length > 0,
    isLosing: ({ context }, { from, to }: { from: Route; to: Route }) =>
      context.stakes.some((stake) => isLost(stake, from, to)),
    isMoot: ({ context: { departure, stakes } }) =>
      departure?.way === 'route' && !stakes.some((stake) => isLost(stake, departure.from, departure.to)),
    isSignOut: ({ context }) => context.departure?.way === 'signOut',
    isReload: ({ context }) => context.departure?.way === 'reload',
    hasHeard: (_, { isHeard }: Heard) => isHeard,
  },
  actions: {
    addStake: assign(({ context }, { id, stake }: { id: string; stake: Stake }) => ({
      stakes: [...context.stakes, { ...stake, id }],
    })),
    dropStake: assign(({ context }, { id }: { id: string }) => ({
      stakes: context.stakes.filter((stake) => stake.id !== id),
    })),
    setDeparture: assign((_, { from, to }: { from: Route; to: Route }) => ({
      departure: { way: 'route' as const, from, to },
    })),
    setSignOut: assign({ departure: { way: 'signOut' } }),
    setReload: assign((_, { isHeard }: Heard) => ({ departure: { way: 'reload' as const, isHeard } })),
    setLost: assign((_, { reason }: { reason: string }) => ({ lost: reason })),
    clearLost: assign({ lost: null }),
    clearDeparture: assign({ departure: null }),
    release: sendTo('navigationBlocker', (): BlockerCommand => ({ type: 'departure.released' })),
    announce: announce<SignOutRequested | ReloadConfirmed>(),
  },
});

export const leavingMachine = setupLeaving.createMachine({
  id: 'leaving',
  context: { stakes: [], departure: null, lost: null },
  on: {
    'stake.raised': { actions: withEvent('addStake') },
    'stake.lifted': { actions: withEvent('dropStake') },
    'place.lost': { actions: withEvent('setLost') },
    'place.back': { actions: 'clearLost' },
  },
  initial: 'free',
  states: {
    free: {
      always: { guard: 'hasStakes', target: 'blocking' },
      on: {
        'signOut.requested': { actions: { type: 'announce', params: { type: 'signOut.requested' } } },
        'reload.requested': [
          { guard: withEvent('hasHeard'), target: 'warning', actions: withEvent('setReload') },
          { actions: { type: 'announce', params: { type: 'reload.confirmed' } } },
        ],
      },
    },
    // Nothing is at stake but what was heard, which another address would leave as it is.
    warning: {
      tags: 'asking',
      exit: 'clearDeparture',
      on: {
        'stay.chosen': 'free',
        'leave.chosen': { target: 'free', actions: { type: 'announce', params: { type: 'reload.confirmed' } } },
        'signOut.requested': {
          target: 'free',
          actions: { type: 'announce', params: { type: 'signOut.requested' } },
        },
      },
    },
    blocking: {
      // What was asked about is over: who wanted to go can go now, and was not sent away unasked.
      always: { guard: not('hasStakes'), target: 'free' },
      exit: 'clearDeparture',
      invoke: { id: 'navigationBlocker', src: 'navigationBlocker', input: ({ self }) => ({ guard: self }) },
      initial: 'watching',
      states: {
        watching: {
          on: {
            'departure.tried': { guard: withEvent('isLosing'), target: 'asking', actions: withEvent('setDeparture') },
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
            'departure.tried': { guard: withEvent('isLosing'), actions: withEvent('setDeparture') },
            'signOut.requested': { actions: 'setSignOut' },
            'reload.requested': { actions: withEvent('setReload') },
            'stay.chosen': { target: 'watching', actions: 'clearDeparture' },
            'leave.chosen': [
              {
                guard: 'isSignOut',
                target: 'leaving',
                actions: { type: 'announce', params: { type: 'signOut.requested' } },
              },
              {
                guard: 'isReload',
                target: 'watching',
                actions: ['clearDeparture', { type: 'announce', params: { type: 'reload.confirmed' } }],
              },
              { target: 'leaving', actions: 'release' },
            ],
          },
        },
        // Whoever has been let go is not asked again on the way: a short address leads on by itself.
        leaving: {
          on: {
            'signOut.requested': { actions: { type: 'announce', params: { type: 'signOut.requested' } } },
            // Where the next screen does not come, what was let go is still there.
            'reload.requested': { target: 'asking', actions: withEvent('setReload') },
            'route.changed': { target: 'watching', actions: 'clearDeparture' },
          },
        },
      },
    },
  },
});

export type LeavingActor = ActorRefFrom<typeof leavingMachine>;
export type LeavingSnapshot = SnapshotFrom<typeof leavingMachine>;
