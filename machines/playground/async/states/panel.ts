import { withEvent } from '../../../shared/withEvent.ts';
import { opening } from '../../address.ts';
import { setupAsync } from '../setup.ts';

/**
 * Which half of the accordion is open. ASY-06: opening Settings with nothing to set anything for leads to the plain address.
 * It happens here, on the user's event; an odd address on load is the router's own business, since charts never answer
 * a `route.changed` with a navigation.
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
          params: ({ context, event }) => ({
            type: 'navigate.requested',
            to: { ...context.route, panel: event.panel },
            replace: true,
          }),
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
          params: ({ context, event }) => ({
            type: 'navigate.requested',
            to: { ...context.route, panel: event.panel },
            replace: true,
          }),
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
