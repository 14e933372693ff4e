// Models the async side of the playground: a file, its transcription, the settings for one, and what the project has.
// Owned by the playground, while it is open; stopping it stops uploads and polling with it.
import type { ActorRefFrom } from 'xstate';
import { withEvent } from '../../shared/withEvent.ts';
import { opening } from '../address.ts';
import { initialContext } from './context.ts';
import { setupAsync } from './setup.ts';
import { file } from './states/file.ts';
import { job } from './states/job.ts';
import { panel } from './states/panel.ts';
import { settings } from './states/settings.ts';

export const asyncMachine = setupAsync.createMachine({
  id: 'async',
  context: ({ input }) => initialContext(input),
  invoke: [
    { id: 'library', src: 'library' },
    {
      id: 'upload',
      src: 'upload',
      input: ({ context: { projectUuid, maxUploadBytes } }) => ({ projectUuid, maxUploadBytes }),
    },
    { id: 'sample', src: 'sample' },
  ],
  on: {
    ...settings.on,
    'push.received': { actions: withEvent('passPush') },
    'recording.replaced': { actions: withEvent('uploadReplacement') },
    'session.saved': { actions: withEvent('listTranscription') },
    'item.removed': {
      guard: withEvent('isOpen'),
      actions: { type: 'sendToApp', params: ({ context }) => opening(context) },
    },
  },
  type: 'parallel',
  states: {
    address: { on: { 'route.changed': { actions: withEvent('adoptRoute') } } },
    // A region, because the job hears it, too.
    balance: { on: { 'balance.read': { actions: withEvent('setBalance') } } },
    panel,
    file,
    job,
  },
});

/** Shown in red when the file can't be read, with a Reload link (ASY-18). */
export const FILE_FAILED = 'Failed to load audio file.';
/** Beneath it, where the file is no recording. */
export const FILE_UNREADABLE = "This file isn't audio we can read. Choose another.";
/** Beneath it, where only the browser is at a loss. */
export const FILE_UNPLAYABLE = "This browser can't play it. You can still transcribe it.";

export type AsyncActor = ActorRefFrom<typeof asyncMachine>;
