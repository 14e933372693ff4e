import { describe, expect } from 'vitest';
import { CallError } from '#machines/shared/failure.ts';
import { followingMachine } from '#machines/playground/following/machine.ts';
import { describeWalk, doneBy, failedBy } from './walk.ts';

const loaded = { files: 1, transcriptions: 1 };
const AWAY = new CallError({ kind: 'FETCH_ERROR', message: 'offline' });
const page = { items: [], nextCursor: null };

describe('CON-16: every way of lists that follow what happens elsewhere', () => {
  describeWalk(followingMachine, {
    ignored: {},
    cases: {
      'item.changed': [{ type: 'item.changed', kind: 'transcription', id: 't1', isNew: true, loaded }],
      'item.deleted': [{ type: 'item.deleted', kind: 'transcription', id: 't1' }],
      'lists.outdated': [{ type: 'lists.outdated', loaded }],
      'xstate.done.actor.readLists': [doneBy('readLists', { files: page, transcriptions: page })],
      'xstate.done.actor.readListed': [
        doneBy('readListed', { kind: 'transcription', item: { id: 't1' } }),
        doneBy('readListed', null),
      ],
      'xstate.error.actor.readListed': [failedBy('readListed', AWAY), failedBy('readListed')],
      'xstate.error.actor.readLists': [failedBy('readLists', AWAY), failedBy('readLists')],
    },
    distinguish: ({ context }) => [context.waiting.length, context.reading === null, context.outdated === null],
    states: {
      readingLists: ({ context }) => {
        expect(context.outdated).not.toBeNull();
      },
    },
  });
});
