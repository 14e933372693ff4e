// Models the playground of one project: what the address shows, and everything that goes on beneath it.
// Owned by the workspace; stopping it stops uploads, polling, sockets and the microphone with it.
import type { ActorRefFrom } from 'xstate';
import { withEvent, withOutput } from '../shared/withEvent.ts';
import { initialContext, opening } from './context.ts';
import { setupPlayground } from './setup.ts';
import { mode, panel } from './states/address.ts';
import { file } from './states/file.ts';
import { job } from './states/job.ts';
import { settings } from './states/settings.ts';
import { view } from './states/view.ts';
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
        { id: 'library', src: 'library' },
        {
          id: 'upload',
          src: 'upload',
          input: ({ context }) => ({ projectUuid: context.projectUuid, maxUploadBytes: context.maxUploadBytes }),
        },
        {
          id: 'live',
          src: 'live',
          input: ({ context }) => ({
            models: context.models,
            browserLanguages: context.browserLanguages,
            saved: context.saved?.live ?? null,
          }),
        },
        { id: 'reader', src: 'reader', input: ({ context }) => ({ route: context.route }) },
        { id: 'sample', src: 'sample' },
        { id: 'codePanel', src: 'codePanel' },
        {
          id: 'sidePanel',
          src: 'sidePanel',
          input: ({ context }) => ({ isAsked: context.route.panel === 'history' }),
        },
        { id: 'languageSearch', src: 'languageSearch' },
        { id: 'usageHint', src: 'usageHint', input: ({ context: { projectUuid } }) => ({ projectUuid }) },
      ],
      on: {
        ...settings.on,
        'push.received': [
          { guard: withEvent('isForLists'), actions: [withEvent('passPush'), 'refreshUsageHint'] },
          { guard: withEvent('isOfUse'), actions: 'refreshUsageHint' },
        ],
        'item.removed': {
          guard: withEvent('isOpen'),
          actions: { type: 'sendToApp', params: ({ context }) => opening(context) },
        },
        'use.changed': { actions: 'refreshUsageHint' },
        'session.saved': { actions: withEvent('listTranscription') },
      },
      states: { mode, panel, file, job, view },
    },
  },
});

/** Shown in red when models can't be loaded (spec §2). */
export const PLAYGROUND_FAILED = 'Failed to load playground.';
/** Shown when the file can't be read, with a Reload link (spec §8). */
export const FILE_FAILED = 'Failed to load audio file.';
/** Beneath it, where the file is no recording. */
export const FILE_UNREADABLE = "This file isn't audio we can read. Choose another.";
/** Beneath it, where only the browser is at a loss. */
export const FILE_UNPLAYABLE = "This browser can't play it. You can still transcribe it.";

export type PlaygroundActor = ActorRefFrom<typeof playgroundMachine>;
