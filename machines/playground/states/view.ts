import { setupPlayground } from '../setup.ts';

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
