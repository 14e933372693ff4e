import type { NavigateRequested } from '../../../shared/appServices.ts';
import { withEvent } from '../../../shared/withEvent.ts';
import { opening } from '../../address.ts';
import type { AsyncContext } from '../context.ts';
import type { Panel } from '../events.ts';
import { setupAsync } from '../setup.ts';

/** Puts the chosen panel into the address. */
const toPanel = ({ context, event }: { context: AsyncContext; event: { panel: Panel } }): NavigateRequested => ({
  type: 'navigate.requested',
  to: { ...context.route, panel: event.panel },
  replace: true,
});

/**
 * Which half of the accordion is open. ASY-06: opening the settings with nothing opened asks for the plain address,
 * here, on the person's event. The router handles an odd first address, because charts never answer `route.changed`
 * with a navigation.
 */
export const panel = setupAsync.createStateConfig({
  initial: 'deciding',
  on: {
    'panel.selected': [
      {
        guard: ({ event }) => event.panel === 'history',
        target: '.history',
        actions: {
          type: 'sendToApp',
          params: toPanel,
        },
      },
      {
        guard: 'hasNothing',
        target: '.settings',
        actions: {
          type: 'sendToApp',
          params: ({ context }) => ({ ...opening(context), replace: true }),
        },
      },
      {
        target: '.settings',
        actions: {
          type: 'sendToApp',
          params: toPanel,
        },
      },
    ],
    'history.shown': '.history',
    'route.changed': [
      {
        guard: { type: 'showsPanel', params: ({ event }) => ({ ...event, panel: 'history' }) },
        target: '.history',
      },
      { guard: { type: 'showsPanel', params: ({ event }) => ({ ...event, panel: 'settings' }) }, target: '.settings' },
      { guard: withEvent('opensTranscription'), target: '.history' },
      { guard: withEvent('opensElse'), target: '.settings' },
    ],
  },
  states: {
    deciding: { always: [{ guard: 'asksForHistory', target: 'history' }, { target: 'settings' }] },
    settings: {},
    history: { tags: 'history' },
  },
});
