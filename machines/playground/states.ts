// The regions of the playground once it has loaded.
import type { NavigateRequested } from '../shared/appServices.ts';
import { withEvent } from '../shared/withEvent.ts';
import type { PlaygroundContext } from './context.ts';
import { setupPlayground } from './setup.ts';

/** Which tab the URL shows. A live session that loses its tab is stopped, not lost; in the other one none begins. */
export const mode = setupPlayground.createStateConfig({
  initial: 'deciding',
  on: {
    'mode.selected': {
      guard: withEvent('differs'),
      actions: {
        type: 'sendToApp',
        params: ({ context, event }) => ({
          type: 'navigate.requested',
          to: { ...context.route, mode: event.mode },
          replace: true,
        }),
      },
    },
    'route.changed': [
      { guard: { type: 'isRealTime', params: ({ event }) => event.route }, target: '.realTime' },
      { target: '.async' },
    ],
  },
  states: {
    deciding: {
      always: [
        { guard: { type: 'isRealTime', params: ({ context }) => context.route }, target: 'realTime' },
        { target: 'async' },
      ],
    },
    async: { tags: 'async', entry: 'hideLive' },
    realTime: { tags: 'realTime', entry: 'showLive' },
  },
});

/** Asks for the same address without the request of the logs. */
export const WITHOUT_LOG = {
  type: 'sendToApp',
  params: ({ context: { route } }: { context: PlaygroundContext }): NavigateRequested => {
    const { log: _, ...to } = route;
    return { type: 'navigate.requested', to, replace: true };
  },
} as const;

/** Opens the panel, which has what the address is about. */
export const FOR_PANEL = { type: 'openSidePanel', params: { type: 'panel.requested', by: 'address' } } as const;

const adopted = [
  withEvent('adoptRoute'),
  withEvent('tellReader'),
  withEvent('tellAsync'),
  withEvent('tellLogged'),
] as const;

/** The address, for all who show what it says. */
export const address = setupPlayground.createStateConfig({
  on: {
    'route.changed': [
      { guard: withEvent('asksForHistory'), actions: [...adopted, FOR_PANEL] },
      { actions: [...adopted] },
    ],
  },
});

/**
 * Whether all of the view could be drawn. While a part of it failed, no session begins: nobody would see all of it, or how
 * to stop it. Another address draws it anew, and so does whoever asks for it.
 */
export const view = setupPlayground.createStateConfig({
  initial: 'whole',
  on: {
    'route.changed': { target: '.whole', actions: 'openAnew' },
    'part.failed': '.broken',
  },
  states: {
    whole: { always: { guard: 'hasFailedEarly', target: 'broken', actions: 'clearEarly' } },
    broken: {
      entry: 'hideLive',
      on: {
        'view.open.requested': [
          {
            guard: { type: 'isRealTime', params: ({ context }) => context.route },
            target: 'whole',
            actions: ['openAnew', 'showLive'],
          },
          { target: 'whole', actions: 'openAnew' },
        ],
      },
    },
  },
});
