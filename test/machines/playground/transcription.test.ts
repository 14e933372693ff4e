import { describe, expect, it, vi } from 'vitest';
import { createActor, fromPromise, SimulatedClock, waitFor } from 'xstate';
import { EXHAUSTED } from '#contract/errors.ts';
import { RECORDING_ERRORS, type Transcription } from '#contract/transcriptions.ts';
import { CallError } from '#machines/shared/failure.ts';
import { helpAfter } from '#machines/playground/transcription/help.ts';
import { isRunning } from '#machines/playground/transcription/progress.ts';
import { transcriptionMachine } from '#machines/playground/transcription/machine.ts';
import {
  completionText,
  failureText,
  hasText,
  NO_TEXT,
  failedOf,
  notesOf,
  progressOf,
  stateOf,
  statusText,
} from '#machines/playground/transcription/texts.ts';
import { transcription } from '../playground-fixtures.ts';
import { alone } from '../appServices.ts';

/** One with these answers to each look at it, and to being cancelled. */
function opened(answers: (Transcription | Error)[], cancelled?: Transcription | CallError) {
  const clock = new SimulatedClock();
  const polled = vi.fn();
  const machine = alone(transcriptionMachine).provide({
    actors: {
      fetchTranscription: fromPromise(async () => {
        polled();
        const answer = answers.shift();
        if (!answer || answer instanceof Error) throw answer ?? new Error('Asked too often.');
        return answer;
      }),
      fetchTranscript: fromPromise(async () => ({ id: 't1', text: 'Hi', tokens: [{ text: 'Hi' }] })),
      cancelTranscription: fromPromise(async () => {
        if (!cancelled || cancelled instanceof CallError) throw cancelled ?? new Error('Nobody cancels it.');
        return cancelled;
      }),
    },
  });
  return { actor: createActor(machine, { input: { id: 't1' }, clock }).start(), clock, polled };
}

describe('a transcription', () => {
  it('ASY-09: is looked at every 3000 ms until it is completed, then its transcript is fetched', async () => {
    const { actor, clock, polled } = opened([
      transcription(),
      transcription({ status: 'warming up' }),
      transcription({ status: 'completed' }),
    ]);
    await waitFor(actor, (snapshot) => snapshot.matches({ polling: 'waiting' }));
    clock.increment(2999);
    expect(polled).toHaveBeenCalledTimes(1);
    clock.increment(1);
    expect(polled).toHaveBeenCalledTimes(2);
    await waitFor(actor, (snapshot) => snapshot.matches({ polling: 'waiting' }));
    clock.increment(3000);
    expect(completionText(actor.getSnapshot().context)).toBe('');
    await waitFor(actor, (snapshot) => snapshot.hasTag('completed'));
    expect(actor.getSnapshot().context.transcript?.text).toBe('Hi');
    expect(completionText(actor.getSnapshot().context)).toBe('Transcription completed.');
    clock.increment(30_000);
    expect(polled).toHaveBeenCalledTimes(3);
  });
  it('UXP-60: one that had ended before it was opened does not end again', async () => {
    const { actor } = opened([transcription({ status: 'completed' })]);
    await waitFor(actor, (snapshot) => snapshot.hasTag('completed'));
    expect(completionText(actor.getSnapshot().context)).toBe('');
  });
  it('ASY-09: an error stops the polling', async () => {
    const { actor, clock, polled } = opened([transcription({ status: 'error', error_message: 'No audio.' })]);
    await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
    clock.increment(30_000);
    expect(polled).toHaveBeenCalledTimes(1);
    expect(actor.getSnapshot().can({ type: 'retry.requested' })).toBe(false);
  });
  it('ASY-09: a refusal for too many calls does not end the polling', async () => {
    const { actor, clock } = opened([
      new CallError({ kind: 'HTTP', status: 429, message: 'slow down' }),
      transcription({ status: 'completed' }),
    ]);
    await waitFor(actor, (snapshot) => snapshot.hasTag('unreachable'));
    clock.increment(3000);
    await waitFor(actor, (snapshot) => snapshot.hasTag('completed'));
  });
  it('ASY-09: a lost network is waited out; the user may try at once', async () => {
    const offline = new CallError({ kind: 'FETCH_ERROR', message: 'offline' });
    const { actor, clock, polled } = opened([
      transcription(),
      offline,
      new CallError({ kind: 'HTTP', status: 502, message: 'bad' }),
      transcription({ status: 'completed' }),
    ]);
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
    const { actor } = opened([
      new CallError({ kind: 'HTTP', status: 404, message: 'gone' }),
      transcription({ status: 'completed' }),
    ]);
    await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
    expect(failureText(actor.getSnapshot().context)).toBe('No transcription data available. Try again later.');
    actor.send({ type: 'retry.requested' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('completed'));
  });
  it('ASY-10: a transcript without words has no text to show', () => {
    const context = { start: { id: 't1' }, transcription: null, wasRunning: false, failure: null, refusal: null };
    expect(hasText({ ...context, transcript: { id: 't1', text: '', tokens: [{ text: ' ' }] } })).toBe(false);
    expect(hasText({ ...context, transcript: { id: 't1', text: 'a', tokens: [{ text: 'a' }] } })).toBe(true);
    expect(NO_TEXT).toBe('[No transcription text available.]');
  });
});

describe('ASY-19 what is read of a transcription for the lists', () => {
  it('ends the waiting, as the next look would', async () => {
    const { actor, clock, polled } = opened([transcription()]);
    await waitFor(actor, (snapshot) => snapshot.matches({ polling: 'waiting' }));
    const read = (changes: Partial<Transcription>) =>
      actor.send({ type: 'transcription.read', transcription: transcription(changes) });
    read({ status: 'processing', progress: { audio_ms: 2000, total_ms: null } });
    expect(stateOf(actor.getSnapshot().context.transcription ?? transcription())).toBe('processing');
    clock.increment(2999);
    read({ status: 'completed' });
    expect(actor.getSnapshot().context.transcription?.status).toBe('completed');
    await waitFor(actor, (snapshot) => snapshot.hasTag('completed'));
    clock.increment(30_000);
    expect(polled).toHaveBeenCalledTimes(1);
  });

  it('counts for nothing where it is older than what is known, or is known to have ended', async () => {
    const { actor } = opened([transcription({ status: 'processing', progress: { audio_ms: 2000, total_ms: null } })]);
    await waitFor(actor, (snapshot) => snapshot.matches({ polling: 'waiting' }));
    const known = () => actor.getSnapshot().context.transcription;
    for (const older of [{}, { status: 'processing', progress: { audio_ms: 1999, total_ms: null } }]) {
      actor.send({ type: 'transcription.read', transcription: transcription(older) });
      expect(known()?.progress?.audio_ms).toBe(2000);
    }
    actor.send({ type: 'transcription.read', transcription: transcription({ status: 'error', error_message: 'No.' }) });
    expect(actor.getSnapshot().hasTag('failed')).toBe(true);
    actor.send({ type: 'transcription.read', transcription: transcription({ status: 'completed' }) });
    expect(known()?.status).toBe('error');
  });
});

describe('FAI-03 a transcription that is cancelled', () => {
  const running = transcription({ status: 'processing' });
  const cancelled = transcription({
    status: 'error',
    error_type: 'cancelled',
    error_message: 'The transcription was cancelled.',
  });
  const cancelling = async (answer: Transcription | CallError, next: Transcription = running) => {
    const { actor } = opened([running, next], answer);
    await waitFor(actor, (snapshot) => snapshot.matches({ polling: 'waiting' }));
    actor.send({ type: 'cancel.requested' });
    return actor;
  };

  it('is at rest, without a failure', async () => {
    const actor = await cancelling(cancelled);
    const { context } = await waitFor(actor, (snapshot) => snapshot.hasTag('cancelled'));
    expect([context.failure, context.refusal, stateOf(cancelled)]).toEqual([null, null, 'cancelled']);
  });

  it('that had ended by then shows its text', async () => {
    const actor = await cancelling(
      new CallError({ kind: 'HTTP', status: 409, message: 'It has ended.' }),
      transcription({ status: 'completed' }),
    );
    expect((await waitFor(actor, (snapshot) => snapshot.hasTag('completed'))).context.transcript?.text).toBe('Hi');
  });

  it('goes on where the server refuses, with the reason', async () => {
    const actor = await cancelling(new CallError({ kind: 'HTTP', status: 500, message: 'The queue is stuck.' }));
    const snapshot = await waitFor(actor, (now) => now.context.refusal !== null && now.matches({ polling: 'waiting' }));
    expect([snapshot.context.refusal?.message, snapshot.can({ type: 'cancel.requested' })]).toEqual([
      'The queue is stuck.',
      true,
    ]);
  });
});

describe('CON-25 how far a transcription is', () => {
  const at = (audio_ms: number, total_ms: number | null) =>
    transcription({ status: 'processing', progress: { audio_ms, total_ms } });

  it.each([
    ['waits', transcription(), null, 'It waits for its turn.'],
    ['has just begun', at(0, 90_000), 0, '0:00 of 1:30 done.'],
    ['is half done', at(5_400_000, 10_800_000), 50, '1:30:00 of 3:00:00 done.'],
    ['is not quite done', at(59_999, 60_000), 99, '0:59 of 1:00 done.'],
    ['has settled all of it, and has not ended', at(60_000, 60_000), 99, '1:00 of 1:00 done.'],
    ['does not know its length', at(65_000, null), null, '1:05 of the recording done.'],
  ])('one that %s says so', (_name, one, percent, words) => {
    expect(progressOf(one)).toEqual({ percent, words });
  });

  it('one that has ended, or tells nothing, says nothing', () => {
    for (const status of ['completed', 'error', 'of tomorrow', 'processing'])
      expect(progressOf(transcription({ status }))).toBeNull();
  });

  it('is part of its state in the list', () => {
    expect(
      [transcription(), at(30_000, 60_000), at(30_000, null), transcription({ status: 'error' })].map(stateOf),
    ).toEqual(['queued', 'processing 50 %', 'processing', 'failed']);
    expect(
      ['queued', 'processing', 'of tomorrow', 'completed', 'error'].filter((status) =>
        isRunning(transcription({ status })),
      ),
    ).toEqual(['queued', 'processing', 'of tomorrow']);
  });
});

describe('AUD-07: how a recording was heard', () => {
  it('is a sentence for each note that is known', () => {
    const notes = (...audio_notes: [string, number][]) =>
      notesOf(transcription({ audio_notes: audio_notes.map(([type, count]) => ({ type, count })) }));
    expect(notes(['tracks_mixed', 2], ['of_tomorrow', 1], ['toString', 1])).toEqual([
      { text: '2 audio tracks were mixed.', isLeftOut: false },
    ]);
    expect(notes(['parts_left_out', 1])).toEqual([
      { text: expect.stringMatching(/^1 part of the recording/), isLeftOut: true },
    ]);
    expect(notes(['tracks_left_out', 2])[0]?.text).toMatch(/^2 audio tracks were left out/);
    expect(notesOf(transcription())).toEqual([]);
  });
});

it('ASY-20: one that failed is Failed, and says whether its recording is at fault; a cancelled one did not fail', () => {
  const of = (error_type: string) => transcription({ status: 'error', error_type });
  const context = (item: Transcription) => ({
    start: { id: item.id },
    transcription: item,
    transcript: null,
    wasRunning: false,
    failure: null,
    refusal: null,
  });
  const told = (error_type: string) => {
    const item = of(error_type);
    return [stateOf(item), failedOf(context(item)) === item];
  };
  expect(told('invalid_audio')).toEqual(['failed', true]);
  expect(told('cancelled')).toEqual(['cancelled', false]);
  expect(failedOf(context(transcription({ status: 'completed' })))).toBeNull();
});

it('ASY-20: what helps is what is at fault: the recording, the money, nothing that one could mend, or the settings', () => {
  const helps = (error_type: string | null, file_id: string | null = 'f1') =>
    helpAfter(transcription({ status: 'error', error_type, file_id }));
  for (const type of RECORDING_ERRORS) expect(helps(type)).toEqual({ by: 'otherFile' });
  expect(helps('file_not_found', null)).toEqual({ by: 'otherFile' });
  expect(EXHAUSTED.map((type) => helps(type))).toEqual([
    { by: 'limit', limit: { name: 'balance', of: 'organization' } },
    { by: 'limit', limit: { name: 'budget_micros', of: 'organization' } },
    { by: 'limit', limit: { name: 'budget_micros', of: 'project' } },
  ]);
  for (const type of ['engine_failed', 'limit_exceeded', 'service_unavailable', 'storage_full'])
    expect(helps(type)).toEqual({ by: 'repeating' });
  for (const type of ['invalid_request', 'model_not_available', null]) expect(helps(type)).toEqual({ by: 'settings' });
  // The recording was at an address, so the playground has none to send.
  for (const type of ['audio_url_unreachable', 'engine_failed']) expect(helps(type, null)).toBeNull();
});
