// Models the download of a table of billing as a spreadsheet, which may take a while and can be called off.
// Owned by the report or the cost table for as long as its screen is open: another period changes nothing of a download under way.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { failureOf, type Failure } from '../../../shared/failure.ts';
import { given } from '../../../shared/given.ts';
import { saveSheet, type SheetToSave } from './actors.ts';

type SheetDownloadContext = { asked: SheetToSave | null; failure: Failure | null };

export const sheetDownloadMachine = setup({
  types: {} as {
    context: SheetDownloadContext;
    events: { type: 'download.requested'; sheet: SheetToSave } | { type: 'download.cancelled' };
    tags: 'saving' | 'saved' | 'refused';
  },
  actors: { saveSheet },
  actions: {
    keepAsked: assign((_, { sheet }: { sheet: SheetToSave }) => ({ asked: sheet, failure: null })),
    keepFailure: assign(failureOf),
  },
}).createMachine({
  id: 'sheetDownload',
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
        id: 'saveSheet',
        src: 'saveSheet',
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

export type SheetDownloadActor = ActorRefFrom<typeof sheetDownloadMachine>;
