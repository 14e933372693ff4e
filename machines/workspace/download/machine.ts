// Models the download of a screen's table or archive, which may take a while and can be cancelled.
// Owned by the report, the cost table, the transactions, the logs or the user's page. A change of period or filter does
// not affect it.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { failureOf, type Failure } from '../../shared/failure.ts';
import { withEvent } from '../../shared/withEvent.ts';
import { saveTable, type TableToSave } from './actors.ts';

type DownloadContext = { asked: TableToSave | null; failure: Failure | null };

export const downloadMachine = setup({
  types: {} as {
    context: DownloadContext;
    events: { type: 'download.requested'; table: TableToSave } | { type: 'download.cancelled' };
    tags: 'saving' | 'saved' | 'refused';
  },
  actors: { saveTable },
  actions: {
    setAsked: assign((_, { table }: { table: TableToSave }) => ({ asked: table, failure: null })),
    setFailure: assign(failureOf),
  },
}).createMachine({
  id: 'download',
  context: { asked: null, failure: null },
  initial: 'idle',
  states: {
    idle: {
      initial: 'unasked',
      on: { 'download.requested': { target: 'saving', actions: withEvent('setAsked') } },
      states: { unasked: {}, saved: { tags: 'saved' }, refused: { tags: 'refused' } },
    },
    saving: {
      tags: 'saving',
      on: { 'download.cancelled': 'idle' },
      invoke: {
        id: 'saveTable',
        src: 'saveTable',
        input: ({ context: { asked } }) => {
          if (!asked) throw new Error('Nothing to save.');
          return asked;
        },
        onDone: 'idle.saved',
        onError: { target: 'idle.refused', actions: withEvent('setFailure') },
      },
    },
  },
});

export type DownloadActor = ActorRefFrom<typeof downloadMachine>;
