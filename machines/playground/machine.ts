// Models the playground of one project: the tab and the address, its two sides, and what they share.
// Owned by the workspace; stopping it stops uploads, polling, sockets and the microphone with it.
import type { ActorRefFrom } from 'xstate';
import { withEvent, withOutput } from '../shared/withEvent.ts';
import { initialContext } from './context.ts';
import { setupPlayground } from './setup.ts';
import { address, FOR_PANEL, mode, view, WITHOUT_LOG } from './states.ts';
import { loadedStates } from '../shared/loaded.ts';

export type { PlaygroundInput } from './context.ts';

export const playgroundMachine = setupPlayground.createMachine({
  id: 'playground',
  context: ({ input }) => initialContext(input),
  initial: 'loading',
  on: {
    'route.changed': { actions: [withEvent('adoptRoute'), 'clearEarly'] },
    'part.failed': { actions: 'noteEarly' },
  },
  states: {
    ...loadedStates('loadPlayground', () => undefined, { target: 'ready', actions: withOutput('setData') }),
    ready: {
      type: 'parallel',
      invoke: [
        {
          id: 'async',
          src: 'async',
          input: ({ context: { orgUuid, projectUuid, route, models, maxUploadBytes, saved } }) => ({
            orgUuid,
            projectUuid,
            route,
            models,
            maxUploadBytes,
            saved: saved?.async ?? null,
          }),
        },
        {
          id: 'live',
          src: 'live',
          input: ({ context: { models, browserLanguages, saved } }) => ({
            models,
            browserLanguages,
            saved: saved?.live ?? null,
          }),
        },
        { id: 'reader', src: 'reader', input: ({ context: { route } }) => ({ route }) },
        { id: 'codePanel', src: 'codePanel' },
        { id: 'sidePanel', src: 'sidePanel', input: ({ context }) => ({ isAsked: context.route.panel === 'history' }) },
        { id: 'languageSearch', src: 'languageSearch' },
        { id: 'usageHint', src: 'usageHint', input: ({ context: { projectUuid } }) => ({ projectUuid }) },
        {
          id: 'loggedRequest',
          src: 'loggedRequest',
          input: ({ context: { projectUuid, route } }) => ({ projectUuid, id: route.log ?? null }),
        },
      ],
      on: {
        'push.received': [
          { guard: withEvent('isForLists'), actions: [withEvent('tellAsync'), 'refreshUsageHint'] },
          { guard: withEvent('isOfUse'), actions: 'refreshUsageHint' },
        ],
        'panel.requested': { actions: withEvent('openSidePanel') },
        'session.saved': { actions: withEvent('tellAsync') },
        // What a new try tells is newer than what the logs say.
        'use.changed': [
          { guard: 'hasLog', actions: ['refreshUsageHint', WITHOUT_LOG] },
          { actions: 'refreshUsageHint' },
        ],
        // The panel keeps what was corrected since it took over the settings.
        'request.read': [
          { guard: withEvent('isOpenedLog'), actions: FOR_PANEL },
          { actions: [withEvent('passRequest'), withEvent('noteOpenedLog'), FOR_PANEL] },
        ],
        'request.dismissed': { guard: 'hasLog', actions: WITHOUT_LOG },
        'balance.read': { actions: [withEvent('tellAsync'), withEvent('tellLive')] },
      },
      states: { address, mode, view },
    },
  },
});

/** Shown in red when models can't be loaded (ASY-07). */
export const PLAYGROUND_FAILED = 'Failed to load playground.';

export type PlaygroundActor = ActorRefFrom<typeof playgroundMachine>;
