import { describe, expect, it, vi } from 'vitest';
import { fromPromise } from 'xstate';
import { CallError } from '#machines/shared/failure.ts';
import { removalMachine, type RemovalItem } from '#machines/playground/removal/machine.ts';
import { underParent } from '../playground-fixtures.ts';

const refusal = (status: number) => new CallError({ kind: 'HTTP', status, message: `${status}.` });
const RUNNING: RemovalItem = { kind: 'transcription', id: 't1', name: 'talk.wav', isRunning: true };

/** @param answers how the server refuses each call, in order; null, and from their end on, it does what it is asked */
function removal(answers: Partial<Record<'cancel' | 'remove', readonly (CallError | null)[]>>) {
  const calls: string[] = [];
  const answer = (name: 'cancel' | 'remove') => {
    const left = [...(answers[name] ?? [])];
    return async () => {
      calls.push(name);
      const failure = left.shift();
      if (failure) throw failure;
    };
  };
  const { child: actor, told } = underParent(
    removalMachine.provide({
      actors: { cancelItem: fromPromise(answer('cancel')), removeItem: fromPromise(answer('remove')) },
    }),
    undefined,
  );
  return {
    actor,
    calls,
    told: () => told.map(({ type }) => type),
    confirm(item: RemovalItem) {
      actor.send({ type: 'removal.requested', item });
      actor.send({ type: 'removal.confirmed' });
    },
  };
}

describe('FAI-04 LIB-03: the deletion of a transcription that still runs', () => {
  it.each([
    ['cancels it first', {}, ['cancel', 'remove'], 'removal.succeeded'],
    [
      'goes on where it ended by itself just before',
      { cancel: [refusal(409)] },
      ['cancel', 'remove'],
      'removal.succeeded',
    ],
    ['is done where somebody has deleted it before', { cancel: [refusal(404)] }, ['cancel'], 'removal.succeeded'],
    [
      'is done where somebody deletes it meanwhile',
      { remove: [refusal(404)] },
      ['cancel', 'remove'],
      'removal.succeeded',
    ],
    [
      'fails where the cancellation fails, and deletes nothing',
      { cancel: [refusal(500)] },
      ['cancel'],
      'removal.failed',
    ],
  ])('%s', async (_name, answers, asked, end) => {
    const { calls, told, confirm } = removal(answers);
    confirm(RUNNING);
    await vi.waitFor(() => expect(told()).toEqual(['removal.started', end]));
    expect(calls).toEqual(asked);
  });

  it('asks once more where nobody knew that it runs; a second conflict is a failure', async () => {
    const { actor, calls, told, confirm } = removal({ remove: [refusal(409), refusal(409)] });
    confirm({ kind: 'transcription', id: 't1', name: 'talk.wav' });
    await vi.waitFor(() => expect(told()).toEqual(['removal.started', 'removal.halted']));
    expect(actor.getSnapshot()).toMatchObject({ value: 'confirming', context: { item: RUNNING } });
    actor.send({ type: 'removal.confirmed' });
    await vi.waitFor(() => expect(told().slice(2)).toEqual(['removal.started', 'removal.failed']));
    expect(calls).toEqual(['remove', 'cancel', 'remove']);
  });
});
