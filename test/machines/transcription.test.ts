import { describe, expect, it, vi } from 'vitest';
import { createActor, fromPromise, SimulatedClock, waitFor } from 'xstate';
import type { Transcription } from '#contract/transcriptions.ts';
import { CallError } from '#machines/failure.ts';
import { transcriptionMachine } from '#machines/transcription/machine.ts';
import { failureText, hasText, NO_DATA, NO_TEXT, statusText } from '#machines/transcription/texts.ts';
import { transcription } from './playground-fixtures.ts';

function opened(answers: (Transcription | Error)[]) {
  const clock = new SimulatedClock();
  const polled = vi.fn();
  const machine = transcriptionMachine.provide({
    actors: {
      fetchTranscription: fromPromise(async () => {
        polled();
        const answer = answers.shift();
        if (!answer || answer instanceof Error) throw answer ?? new Error('Asked too often.');
        return answer;
      }),
      fetchTranscript: fromPromise(async () => ({ id: 't1', text: 'Hi', tokens: [{ text: 'Hi' }] })),
    },
  });
  return { actor: createActor(machine, { input: { id: 't1' }, clock }).start(), clock, polled };
}

describe('a transcription', () => {
  it('ASY-09: is looked at every 3000 ms until it is completed, then its transcript is fetched', async () => {
    const { actor, clock, polled } = opened([transcription(), transcription({ status: 'warming up' }), transcription({ status: 'completed' })]);
    await waitFor(actor, (snapshot) => snapshot.matches({ polling: 'waiting' }));
    expect(statusText(actor.getSnapshot().context)).toBe('Transcription talk.wav is queued.');
    clock.increment(2999);
    expect(polled).toHaveBeenCalledTimes(1);
    clock.increment(1);
    expect(polled).toHaveBeenCalledTimes(2);
    await waitFor(actor, (snapshot) => snapshot.matches({ polling: 'waiting' }));
    expect(statusText(actor.getSnapshot().context)).toBe('Transcription talk.wav is warming up.');
    clock.increment(3000);
    await waitFor(actor, (snapshot) => snapshot.hasTag('completed'));
    expect(actor.getSnapshot().context.transcript?.text).toBe('Hi');
    clock.increment(30_000);
    expect(polled).toHaveBeenCalledTimes(3);
  });
  it('ASY-09: an error stops the polling and shows its message', async () => {
    const { actor, clock, polled } = opened([transcription({ status: 'error', error_message: 'No audio.' })]);
    await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
    expect(failureText(actor.getSnapshot().context)).toBe('Transcription failed. No audio.');
    clock.increment(30_000);
    expect(polled).toHaveBeenCalledTimes(1);
    expect(actor.getSnapshot().can({ type: 'retry.requested' })).toBe(false);
  });
  it('ASY-09: a lost network is waited out; the user may try at once', async () => {
    const offline = new CallError({ kind: 'FETCH_ERROR', message: 'offline' });
    const { actor, clock, polled } = opened([transcription(), offline, new CallError({ kind: 'HTTP', status: 502, message: 'bad' }), transcription({ status: 'completed' })]);
    await waitFor(actor, (snapshot) => snapshot.matches({ polling: 'waiting' }));
    clock.increment(3000);
    await waitFor(actor, (snapshot) => snapshot.hasTag('unreachable'));
    expect(statusText(actor.getSnapshot().context)).toBe('Transcription talk.wav is queued.');
    clock.increment(3000);
    await waitFor(actor, (snapshot) => snapshot.context.failure?.message === 'bad');
    actor.send({ type: 'retry.requested' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('completed'));
    expect(polled).toHaveBeenCalledTimes(4);
    expect(actor.getSnapshot().context.failure).toBeNull();
  });
  it('ASY-10: what cannot be read says so, and can be tried again', async () => {
    const { actor } = opened([new CallError({ kind: 'HTTP', status: 404, message: 'gone' }), transcription({ status: 'completed' })]);
    await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
    expect(failureText(actor.getSnapshot().context)).toBe(NO_DATA);
    expect(NO_DATA).toBe('No transcription data available. Try again later.');
    actor.send({ type: 'retry.requested' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('completed'));
  });
  it('ASY-10: a transcript without words has no text to show', () => {
    const context = { start: { id: 't1' }, transcription: null, failure: null };
    expect(hasText({ ...context, transcript: { id: 't1', text: '', tokens: [{ text: ' ' }] } })).toBe(false);
    expect(hasText({ ...context, transcript: { id: 't1', text: 'a', tokens: [{ text: 'a' }] } })).toBe(true);
    expect(NO_TEXT).toBe('[No transcription text available.]');
  });
  it('stops asking when it is left', async () => {
    const { actor, clock, polled } = opened([transcription()]);
    await waitFor(actor, (snapshot) => snapshot.matches({ polling: 'waiting' }));
    actor.stop();
    clock.increment(30_000);
    expect(polled).toHaveBeenCalledTimes(1);
  });
});
