import { describe, expect, it, vi } from 'vitest';
import { fromPromise, waitFor } from 'xstate';
import { CallError, mayPass, type Failure } from '#machines/shared/failure.ts';
import type { ItemRead, Listed, ListsRead, Loaded } from '#machines/playground/listSync/actors.ts';
import { listSyncMachine } from '#machines/playground/listSync/machine.ts';
import { transcription, underParent } from '../playground-fixtures.ts';

const loaded: Loaded = { files: 1, transcriptions: 1 };
const LISTS: ListsRead = { files: { items: [], nextCursor: null }, transcriptions: { items: [], nextCursor: null } };
const failing = (failure: Omit<Failure, 'message'>) => new CallError({ message: 'No.', ...failure });

/** Lists that follow a server; `asked` is what was read of it, `told` what their parent heard. */
function syncing(read: (item: Listed) => Promise<ItemRead | null>, lists = async (): Promise<ListsRead> => LISTS) {
  const asked: string[] = [];
  const { child: actor, told } = underParent(
    listSyncMachine.provide({
      delays: { pause: 1 },
      actors: {
        readListed: fromPromise(async ({ input }) => {
          asked.push(input.id);
          return read(input);
        }),
        readLists: fromPromise(async ({ input }) => {
          asked.push(`lists of ${input.files} and ${input.transcriptions}`);
          return lists();
        }),
      },
    }),
    undefined,
  );
  const change = (id: string) => actor.send({ type: 'item.changed', kind: 'transcription', id, isNew: true, loaded });
  /** Once nothing waits to be read. */
  const idle = () =>
    waitFor(
      actor,
      (snapshot) =>
        snapshot.matches('idle') && snapshot.context.waiting.length === 0 && snapshot.context.outdated === null,
    );
  return { actor, asked, told, change, idle };
}
const found = ({ id }: Listed): ItemRead => ({ kind: 'transcription', item: transcription({ id }) });

describe('CON-16: what cannot be read', () => {
  it.each<[string, Omit<Failure, 'message'>, boolean]>([
    ['no answer', { kind: 'FETCH_ERROR' }, true],
    ['an answer that did not come in time', { kind: 'TIMEOUT_ERROR' }, true],
    ['a server that fails', { kind: 'HTTP', status: 503 }, true],
    ['too many calls', { kind: 'HTTP', status: 429 }, true],
    ['a call that is refused', { kind: 'HTTP', status: 400 }, false],
    ['an answer that makes no sense', { kind: 'PARSING_ERROR' }, false],
  ])('%s', (_name, failure, isPassing) => {
    expect(mayPass(failing(failure))).toBe(isPassing);
  });
  it('a defect of the page passes as little', () => {
    expect(mayPass(new TypeError('x is undefined'))).toBe(false);
  });

  it.each([failing({ kind: 'HTTP', status: 400 }), failing({ kind: 'PARSING_ERROR' })])(
    'for good holds up nothing that waits behind it ($failure.kind)',
    async (failure) => {
      const { actor, asked, told, change } = syncing(async (item) => {
        if (item.id === 'bad') throw failure;
        return found(item);
      });
      change('bad');
      change('good');
      await vi.waitFor(() => expect(told).toMatchObject([{ type: 'listed.read', item: { id: 'good' } }]));
      expect(asked).toEqual(['bad', 'good']);
      expect(actor.getSnapshot()).toMatchObject({ value: 'idle', context: { waiting: [] } });
      // Told of anew, it is read anew.
      change('bad');
      await vi.waitFor(() => expect(asked).toEqual(['bad', 'good', 'bad']));
    },
  );

  it('for now is read again, before what waits behind it', async () => {
    let isAway = true;
    const { asked, told, change } = syncing(async (item) => {
      if (!isAway) return found(item);
      isAway = false;
      throw failing({ kind: 'FETCH_ERROR' });
    });
    change('one');
    change('two');
    await vi.waitFor(() => expect(told).toHaveLength(2));
    expect(asked).toEqual(['one', 'one', 'two']);
  });

  it('of whole lists holds up nothing either', async () => {
    const { actor, asked, told, change, idle } = syncing(
      async (item) => found(item),
      () => Promise.reject(failing({ kind: 'PARSING_ERROR' })),
    );
    actor.send({ type: 'lists.outdated', loaded });
    change('one');
    await idle();
    await vi.waitFor(() => expect(told).toMatchObject([{ type: 'listed.read', item: { id: 'one' } }]));
    expect(asked).toEqual(['lists of 1 and 1', 'one']);
  });
});

describe('CON-16: what changes faster than it can be read one by one', () => {
  it('is read with the lists, once, and what waited for its turn with it', async () => {
    const { asked, told, change, idle } = syncing(async (item) => found(item));
    for (let n = 0; n <= 21; n += 1) change(`t${n}`);
    await idle();
    // The first one was under way already.
    expect(asked).toEqual(['t0', 'lists of 1 and 1']);
    expect(told.map(({ type }) => type)).toEqual(['listed.read', 'lists.read']);
    // As many as are read one by one.
    for (let n = 0; n <= 20; n += 1) change(`u${n}`);
    await idle();
    expect(asked.slice(2)).toEqual(Array.from({ length: 21 }, (_, n) => `u${n}`));
  });
});
