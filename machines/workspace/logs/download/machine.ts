// Models the download of the requests that match, which may take a while and can be called off.
// Owned by the logs for as long as their screen is open: another filter changes nothing of a download under way.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { failureOf, type Failure } from '../../../shared/failure.ts';
import { given } from '../../../shared/given.ts';
import { saveLogs, type LogsToSave } from './actors.ts';

type LogDownloadContext = { asked: LogsToSave | null; failure: Failure | null };

export const logDownloadMachine = setup({
  types: {} as {
    context: LogDownloadContext;
    events: ({ type: 'download.requested' } & LogsToSave) | { type: 'download.cancelled' };
    tags: 'saving' | 'saved' | 'refused';
  },
  actors: { saveLogs },
  actions: {
    keepAsked: assign((_, { projectUuid, filter, format }: LogsToSave) => ({
      asked: { projectUuid, filter, format },
      failure: null,
    })),
    keepFailure: assign(failureOf),
  },
}).createMachine({
  id: 'logDownload',
  context: { asked: null, failure: null },
  initial: 'idle',
  states: {
    idle: {
      initial: 'unasked',
      on: { 'download.requested': { target: 'saving', actions: given('keepAsked') } },
      states: { unasked: {}, saved: { tags: 'saved' }, refused: { tags: 'refused' } },
    },
    saving: {
      tags: 'saving',
      on: { 'download.cancelled': 'idle' },
      invoke: {
        id: 'saveLogs',
        src: 'saveLogs',
        input: ({ context: { asked } }) => {
          if (!asked) throw new Error('Nothing to save.');
          return asked;
        },
        onDone: 'idle.saved',
        onError: { target: 'idle.refused', actions: given('keepFailure') },
      },
    },
  },
});

export type LogDownloadActor = ActorRefFrom<typeof logDownloadMachine>;
