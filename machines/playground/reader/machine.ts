// Models reading the shown transcript: display, search, selection and export.
// Owned by the playground, for both its transcripts, live and async. The address holds the display.
import { assign, sendTo, setup, type ActorRefFrom } from 'xstate';
import { withEvent } from '../../shared/withEvent.ts';
import { sendToApp, type NavigateRequested } from '../../shared/appServices.ts';
import type { PlaygroundRoute } from '../../shared/route.ts';
import { displayOf, routeShowing } from './address.ts';
import { displayMachine, type DisplayNotice } from './display/machine.ts';
import { exporterMachine } from './exporter/machine.ts';
import { searchMachine } from './search/machine.ts';
import { selectionMachine } from './selection/machine.ts';

type ReaderContext = {
  /** The playground's route, which includes the display. */
  route: PlaygroundRoute;
};

export const readerMachine = setup({
  types: {} as {
    context: ReaderContext;
    input: ReaderContext;
    events: { type: 'route.changed'; route: PlaygroundRoute } | DisplayNotice;
    children: { display: 'display'; exporter: 'exporter'; search: 'search'; selection: 'selection' };
  },
  actors: {
    display: displayMachine,
    exporter: exporterMachine,
    search: searchMachine,
    selection: selectionMachine,
  },
  actions: {
    adoptRoute: assign((_, { route }: { route: PlaygroundRoute }) => ({ route })),
    restoreDisplay: sendTo('display', (_, { route }: { route: PlaygroundRoute }) => ({
      type: 'display.restored' as const,
      display: displayOf(route),
    })),
    clearRefusedSaving: sendTo('exporter', { type: 'refusal.forgotten' as const }),
    sendToApp: sendToApp<NavigateRequested>(),
  },
}).createMachine({
  id: 'reader',
  context: ({ input }) => input,
  invoke: [
    { id: 'display', src: 'display', input: ({ context }) => displayOf(context.route) },
    { id: 'exporter', src: 'exporter' },
    { id: 'search', src: 'search' },
    { id: 'selection', src: 'selection' },
  ],
  on: {
    'route.changed': { actions: [withEvent('adoptRoute'), withEvent('restoreDisplay'), 'clearRefusedSaving'] },
    'display.changed': {
      actions: {
        type: 'sendToApp',
        params: ({ context, event }) => ({
          type: 'navigate.requested',
          to: routeShowing(context.route, event.display),
          replace: true,
        }),
      },
    },
  },
});

export type ReaderActor = ActorRefFrom<typeof readerMachine>;
