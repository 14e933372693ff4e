import { describe, expect } from 'vitest';
import { CallError } from '#machines/shared/failure.ts';
import { listSyncMachine } from '#machines/playground/listSync/machine.ts';
import { describeWalk, FAILURE } from './walk.ts';

const loaded = { files: 1, transcriptions: 1 };
const AWAY = new CallError({ kind: 'FETCH_ERROR', message: 'offline' });
const page = { items: [], nextCursor: null };

describe('CON-16: every way of lists that follow what happens elsewhere', () => {
  describeWalk(listSyncMachine, {
    ignored: {},
    cases: {
      'item.changed': [{ kind: 'transcription', id: 't1', isNew: true, loaded }],
      'item.deleted': [{ kind: 'transcription', id: 't1' }],
      'lists.outdated': [{ loaded }],
      'done readLists': [{ files: page, transcriptions: page }],
      'done readListed': [{ kind: 'transcription', item: { id: 't1' } }, null],
      'failed readListed': [AWAY, FAILURE],
      'failed readLists': [AWAY, FAILURE],
    },
    distinguish: ({ context }) => [context.waiting.length, context.reading === null, context.outdated === null],
    states: {
      readingLists: ({ context }) => expect(context.outdated).not.toBeNull(),
    },
  });
});
