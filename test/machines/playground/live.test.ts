import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor, type AnyEventObject } from 'xstate';
import { liveError, type LiveError } from '#machines/playground/live/errors.ts';
import { savedOf } from '#machines/playground/live/saved.ts';
import { liveMachine } from '#machines/playground/live/machine.ts';
import type { PickedFile } from '#machines/playground/upload/actors.ts';
import { runLabel, showsIntro } from '#machines/playground/live/select.ts';
import type { AudioSource } from '#machines/playground/stream/actors.ts';
import { streamMachine } from '#machines/playground/stream/machine.ts';
import { later } from '../people.ts';
import { alone } from '../appServices.ts';
import { RT } from '../playground-fixtures.ts';
import { silenced } from '../silenced.ts';

const file = { name: 'talk.wav', size: 10, type: 'audio/wav' };
const granted = { type: 'media.granted', sampleRate: 44_100, channels: 1 };
const token = (text: string, is_final = true) => ({
  type: 'socket.received',
  result: { tokens: [{ text, is_final }] },
});

function recorder({
  probeFile = () => Promise.resolve(),
  fetchSample = () => Promise.resolve(file),
  plays = [],
}: {
  probeFile?: () => Promise<void>;
  fetchSample?: () => Promise<PickedFile>;
  /** Children that the test plays besides. */
  plays?: string[];
} = {}) {
  const answer: Record<string, (event: AnyEventObject) => void> = {};
  const ended = vi.fn<(name: string) => void>();
  const began = vi.fn<(name: string, input?: AudioSource) => void>();
  const told = vi.fn<(event: AnyEventObject) => void>();
  const played = (name: string) =>
    fromCallback<AnyEventObject, AudioSource | undefined>(({ sendBack, receive, input }) => {
      began(name, input);
      answer[name] = sendBack;
      receive(told);
      return () => {
        ended(name);
      };
    });
  const stream = silenced(streamMachine, { capture: played('capture'), socket: played('socket') } as never);
  const actor = createActor(
    silenced(alone(liveMachine), {
      stream,
      clock: played('clock'),
      probeFile: fromPromise(probeFile),
      fetchSample: fromPromise(fetchSample),
      ...Object.fromEntries(plays.map((name) => [name, played(name)])),
    } as never),
    { input: { models: [RT], browserLanguages: ['en-GB'] } },
  ).start();
  const from =
    (name: string) =>
    (...events: AnyEventObject[]) => {
      for (const event of events) answer[name]?.(event);
    };
  const text = () => {
    const { tail = [], pending = [] } = actor.getSnapshot().children.transcript?.getSnapshot().context ?? {};
    return { final: tail.map((each) => each.boundary ?? each.text), pending: pending.map((each) => each.text) };
  };
  const run = () => {
    actor.send({ type: 'run.requested' });
    from('capture')(granted);
    from('socket')({ type: 'socket.opened' });
  };
  const finish = () => {
    actor.send({ type: 'stop.requested' });
    from('capture')({ type: 'capture.stopped' });
    from('socket')({ type: 'socket.closed', code: 1000, reason: '' });
  };
  const pick = async (picked: PickedFile = file) => {
    actor.send({ type: 'source.selected', source: 'file' });
    actor.send({ type: 'file.picked', file: picked });
    await waitFor(actor, (snapshot) => !snapshot.hasTag('fileLoading'));
  };
  const at = () => actor.getSnapshot();
  return {
    pick,
    actor,
    at,
    can: (type: 'run.requested' | 'reset.requested' | 'sample.requested') => at().can({ type }),
    /** How often the socket was asked to finalize. */
    finalizations: () => told.mock.calls.filter(([event]) => event.type === 'finalize.requested').length,
    capture: from('capture'),
    socket: from('socket'),
    clock: from('clock'),
    text,
    run,
    finish,
    began,
    ended,
    told,
  };
}

describe('the live recorder', () => {
  it('LIV-01 LIV-06: stopped, starting, running, stopping, stopped; one session at a time', () => {
    const { actor, capture, socket, began, at } = recorder();
    const tags = () => (['stopped', 'starting', 'running', 'stopping'] as const).filter((tag) => at().hasTag(tag));
    expect(tags()).toEqual(['stopped']);
    actor.send({ type: 'run.requested' });
    actor.send({ type: 'run.requested' });
    expect(tags()).toEqual(['starting']);
    capture(granted);
    socket({ type: 'socket.opened' });
    expect(tags()).toEqual(['running']);
    actor.send({ type: 'stop.requested' });
    expect(tags()).toEqual(['stopping']);
    capture({ type: 'capture.stopped' });
    socket({ type: 'socket.closed', code: 1000, reason: '' });
    expect(tags()).toEqual(['stopped']);
    expect(began.mock.calls.filter(([name]) => name === 'socket')).toHaveLength(1);
  });
  it('LIV-07: a finished session ends with a separator and leaves nothing pending', () => {
    const { socket, text, run, finish } = recorder();
    run();
    socket(token('Hi'), token(' the', false));
    finish();
    expect(text()).toEqual({ final: ['Hi', 'separator'], pending: [] });
  });
  it('LIV-07: an error stops the session, and only the first is shown', () => {
    const { actor, socket, run, ended, at } = recorder();
    run();
    socket(
      { type: 'socket.refused', error: liveError('cannot_continue_request') },
      { type: 'socket.closed', code: 1006, reason: '' },
    );
    expect(at().hasTag('stopped')).toBe(true);
    expect(at().context.error?.code).toBe('cannot_continue_request');
    expect(ended.mock.calls.flat()).toEqual(expect.arrayContaining(['capture', 'socket', 'clock']));
    actor.send({ type: 'run.requested' });
    expect(at().context.error).toBeNull();
  });
  it('LIV-19: the intro shows while stopped and empty, and neither beside a session nor beside its words or its error', () => {
    const { actor, socket, run, finish, at } = recorder();
    const isIntro = () => showsIntro(at());
    expect(isIntro()).toBe(true);
    run();
    expect(isIntro()).toBe(false);
    finish();
    expect(isIntro()).toBe(true);
    run();
    socket({ type: 'socket.failed' });
    expect(isIntro()).toBe(false);
    run();
    socket(token('Hi'));
    finish();
    expect(isIntro()).toBe(false);
    actor.send({ type: 'reset.requested' });
    expect(isIntro()).toBe(true);
  });
  it('LIV-08: reset clears the transcript, the error and the position of the file', async () => {
    const { actor, capture, socket, text, run, pick, at, can } = recorder();
    await pick();
    expect(can('reset.requested')).toBe(false);
    run();
    socket(token('Hi'));
    capture({ type: 'playback.progressed', positionMs: 500, durationMs: 1000 });
    expect(can('reset.requested')).toBe(false);
    socket({ type: 'socket.failed' });
    actor.send({ type: 'reset.requested' });
    expect(text().final).toEqual([]);
    expect(at().context).toMatchObject({
      error: null,
      elapsedSeconds: 0,
      playback: { positionMs: 0, durationMs: 0 },
      file,
    });
    expect(can('reset.requested')).toBe(false);
  });
  it('LIV-09: finalize reaches the socket only when something is transcribed', () => {
    const { actor, socket, run, finalizations } = recorder();
    run();
    socket(token('<end>', false), token(' '));
    actor.send({ type: 'finalize.requested' });
    expect(finalizations()).toBe(0);
    socket(token('Hi', false));
    actor.send({ type: 'finalize.requested' });
    expect(finalizations()).toBe(1);
  });
  it('CON-17: pressed five times it is asked for once, until the answer has come or is overdue', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { actor, socket, text, run, finalizations, at } = recorder();
    const press = () => {
      for (let press = 0; press < 5; press += 1) actor.send({ type: 'finalize.requested' });
    };
    run();
    socket(token('Hi', false));
    press();
    expect(finalizations()).toBe(1);
    expect(at().hasTag('finalizing')).toBe(true);
    // Other results come meanwhile.
    socket(token('Hi', false));
    press();
    expect(finalizations()).toBe(1);
    socket({
      type: 'socket.received',
      result: {
        tokens: [
          { text: 'Hi', is_final: true },
          { text: '<fin>', is_final: true },
        ],
      },
    });
    expect(at().hasTag('finalizing')).toBe(false);
    press();
    vi.advanceTimersByTime(5000);
    press();
    expect(finalizations()).toBe(3);
    expect(text().final).toEqual(['Hi']);
  });
  it.each([
    ['an error', { type: 'socket.refused', error: liveError('cannot_continue_request') }],
    ['a dropped socket', { type: 'socket.closed', code: 1006, reason: '' }],
    ['a lost connection', { type: 'socket.failed' }],
  ])(
    'CON-12: a separator follows the words of a session that ended by %s, and the next session does not run on',
    (_, end) => {
      const { socket, text, run, finish } = recorder();
      run();
      socket(token('one'), token(' two', false), end);
      expect(text()).toEqual({ final: ['one', ' two', 'separator'], pending: [] });
      run();
      finish();
      run();
      socket(token('three'));
      expect(text().final).toEqual(['one', ' two', 'separator', 'three']);
    },
  );
  it.each<[string, AnyEventObject, string, string]>([
    [
      'a dropped socket',
      { type: 'socket.closed', code: 1006, reason: '' },
      'The connection was lost.',
      'WebSocket closed with code 1006.',
    ],
    [
      'a failed socket',
      { type: 'socket.failed' },
      'WebSocket error occurred.',
      'The connection could not be made, or it was lost.',
    ],
  ])('ERR-05 CON-19: %s says what becomes of the words, and which button helps', (_, end, message, cause) => {
    const { socket, run, at } = recorder();
    run();
    socket(token('one'), end);
    expect(at().context.error).toMatchObject({
      message,
      detail: `What was heard is kept. Press Run to go on.\n${cause}`,
    });
    run();
    socket(end);
    expect(at().context.error?.detail).toBe(`Press Run to try again.\n${cause}`);
  });
  it('CON-19: an error goes when what it was about is changed, and no other', () => {
    const { actor, socket, capture, run, at } = recorder();
    const code = () => at().context.error?.code;
    const failWith = (
      known: 'get_user_media_failed' | 'input_file_error' | 'invalid_context_structure' | 'cannot_handle_request',
    ) => {
      run();
      if (known === 'get_user_media_failed') capture({ type: 'capture.failed', error: liveError(known) });
      else socket({ type: 'socket.refused', error: liveError(known) });
      expect(code()).toBe(known);
    };
    failWith('get_user_media_failed');
    actor.send({ type: 'settings.changed', patch: { enableSpeakerDiarization: true } });
    expect(code()).toBe('get_user_media_failed');
    actor.send({ type: 'permission.granted' });
    expect(code()).toBeUndefined();
    failWith('input_file_error');
    actor.send({ type: 'permission.granted' });
    expect(code()).toBe('input_file_error');
    actor.send({ type: 'file.picked', file });
    expect(code()).toBeUndefined();
    failWith('invalid_context_structure');
    actor.send({ type: 'source.selected', source: 'microphone' });
    expect(code()).toBe('invalid_context_structure');
    actor.send({ type: 'settings.changed', patch: { context: '' } });
    expect(code()).toBeUndefined();
    failWith('cannot_handle_request');
    actor.send({ type: 'settings.changed', patch: { context: '{}' } });
    actor.send({ type: 'device.changed', deviceId: null });
    expect(code()).toBe('cannot_handle_request');
  });
  it('CON-19: that the balance refused a session goes once money came, and no other refusal does', () => {
    const { actor, socket, run, at, can } = recorder();
    const refuse = (name: 'balance' | 'audio_minutes') => {
      run();
      socket({ type: 'socket.refused', error: { code: 'x', message: 'No.', limit: { name, of: 'organization' } } });
    };
    refuse('balance');
    // Too little is left for this session, but the balance is not empty.
    actor.send({ type: 'balance.read', isExhausted: false });
    expect(at().context.error?.message).toBe('No.');
    actor.send({ type: 'balance.read', isExhausted: true });
    expect([at().context.error?.message, can('run.requested')]).toEqual(['No.', false]);
    actor.send({ type: 'balance.read', isExhausted: false });
    expect([at().context.error, can('run.requested')]).toEqual([null, true]);
    refuse('audio_minutes');
    actor.send({ type: 'balance.read', isExhausted: false });
    expect(at().context.error?.message).toBe('No.');
  });
  it('CON-19: why the trial of a microphone was refused stays while the other tab is looked at, until a session begins', () => {
    const { actor, at } = recorder();
    const microphone = at().children.microphone;
    const refusal = () => microphone?.getSnapshot().context.error?.code;
    microphone?.send({ type: 'trial.requested' });
    microphone?.send({ type: 'meter.refused', error: liveError('get_user_media_failed') });
    actor.send({ type: 'screen.taken' });
    actor.send({ type: 'screen.returned' });
    expect(refusal()).toBe('get_user_media_failed');
    actor.send({ type: 'run.requested' });
    expect(refusal()).toBeUndefined();
  });
  it('LIV-17 CON-19: a refusal of the start tells what of the context can be its cause, until the context is changed', () => {
    const { actor, socket, run, at } = recorder();
    const refuseWith = (error: LiveError) => {
      run();
      socket({ type: 'socket.refused', error });
      return at().context.error;
    };
    const malformed = { code: 'invalid_request', message: 'Start request is malformed.', reason: 'context' } as const;
    const { reason: _, ...elsewhere } = malformed;
    const doubt = 'The context you gave is a list, not an object; the server accepts an object.';
    expect(refuseWith(malformed)).toEqual({ ...malformed, contextProblem: malformed.message });
    actor.send({ type: 'settings.changed', patch: { context: '[1,2]' } });
    expect(refuseWith(malformed)).toEqual({ ...malformed, detail: doubt, contextProblem: doubt });
    actor.send({ type: 'settings.changed', patch: { context: '{}' } });
    expect(at().context.error).toBeNull();
    expect(refuseWith(malformed)).toEqual({ ...malformed, contextProblem: malformed.message });
    actor.send({ type: 'settings.changed', patch: { context: '[1,2]' } });
    expect(refuseWith(elsewhere)).toEqual(elsewhere);
    expect(refuseWith({ ...elsewhere, message: 'Not the context.' })?.contextProblem).toBeUndefined();
    expect(refuseWith(liveError('cannot_handle_request'))?.contextProblem).toBeUndefined();
  });
  it('CON-13 CON-27: nothing is run while a language is missing or the context is too long', async () => {
    const { actor, at, can } = recorder();
    actor.send({ type: 'translation.toggled', translationType: 'one_way' });
    expect(can('run.requested')).toBe(false);
    actor.send({ type: 'targetLanguage.selected', code: 'de' });
    expect(can('run.requested')).toBe(true);
    actor.send({ type: 'settings.changed', patch: { context: `"${'x'.repeat(10_001)}"` } });
    expect(can('run.requested')).toBe(false);
    expect(at().context.settings.context).toHaveLength(10_003);
    actor.send({ type: 'settings.changed', patch: { context: '' } });
    expect(can('run.requested')).toBe(true);
  });
  it('ONB-07: a sample is fetched and heard by itself; one that is not to be had says so, and can be asked for again', async () => {
    const answers = [later<PickedFile>(), later<PickedFile>()];
    let asked = 0;
    const { actor, at, can } = recorder({ fetchSample: () => answers[asked++]!.promise });
    actor.send({ type: 'sample.requested' });
    expect([at().context.source, at().hasTag('fileLoading'), can('run.requested')]).toEqual(['file', true, false]);
    answers[0]?.reject(new Error('No network.'));
    await waitFor(actor, (snapshot) => snapshot.hasTag('fileFailed'));
    expect(at().context.fileProblem?.detail).toBe('No network.');
    actor.send({ type: 'sample.requested' });
    answers[1]?.resolve(file);
    await waitFor(actor, (snapshot) => snapshot.hasTag('starting'));
    expect([at().context.file, at().matches({ start: 'byHand' })]).toEqual([file, true]);
    expect(can('sample.requested')).toBe(false);
  });
  it('ONB-07: who goes back to the microphone meanwhile is not run away with', async () => {
    const { actor, at } = recorder();
    actor.send({ type: 'sample.requested' });
    actor.send({ type: 'source.selected', source: 'microphone' });
    await waitFor(actor, (snapshot) => snapshot.matches({ input: 'playable' }));
    expect(at().hasTag('stopped')).toBe(true);
  });
  it('LIV-10: a file can be run once it can be played; one that cannot says why until another is picked', async () => {
    const answers = [later<void>(), later<void>()];
    let asked = 0;
    const { actor, at, can } = recorder({ probeFile: () => answers[asked++]!.promise });
    actor.send({ type: 'source.selected', source: 'file' });
    actor.send({ type: 'file.picked', file });
    expect([can('run.requested'), at().hasTag('fileLoading')]).toEqual([false, true]);
    answers[0]?.reject(new Error('It is damaged.'));
    await waitFor(actor, (snapshot) => snapshot.hasTag('fileFailed'));
    expect(can('run.requested')).toBe(false);
    expect(at().context.fileProblem).toMatchObject({
      code: 'input_file_error',
      detail: 'It is damaged.',
    });
    actor.send({ type: 'file.picked', file: { ...file, name: 'b.wav' } });
    expect(at().context.fileProblem).toBeNull();
    answers[1]?.resolve();
    await waitFor(actor, (snapshot) => snapshot.matches({ input: 'playable' }));
    expect(can('run.requested')).toBe(true);
  });
  it('LIV-10: another file plays from its beginning, however far the earlier one came', async () => {
    const { actor, capture, began, run, finish, pick } = recorder();
    await pick();
    run();
    capture({ type: 'playback.progressed', positionMs: 400, durationMs: 1000 });
    finish();
    await pick({ ...file, name: 'b.wav' });
    actor.send({ type: 'run.requested' });
    expect(began).toHaveBeenLastCalledWith('capture', { source: 'file', file: { ...file, name: 'b.wav' }, fromMs: 0 });
  });
  it('LIV-05: cancel while it stops ends the session at once and keeps what was heard', () => {
    const { actor, socket, text, run, ended, at } = recorder();
    run();
    socket(token('Hi'));
    actor.send({ type: 'stop.requested' });
    actor.send({ type: 'cancel.requested' });
    expect(at().hasTag('stopped')).toBe(true);
    expect(at().context.error).toBeNull();
    expect(text().final).toEqual(['Hi', 'separator']);
    expect(ended.mock.calls.flat()).toEqual(expect.arrayContaining(['capture', 'socket', 'clock']));
  });
  it('LIV-11: Run, Run..., Stop, Stop..., Rerun; the end of playback stops, and a rerun begins anew', async () => {
    const { actor, capture, socket, began, pick, at } = recorder();
    const label = () => runLabel(at());
    await pick();
    expect(label()).toBe('Run');
    actor.send({ type: 'run.requested' });
    expect(label()).toBe('Run...');
    capture(granted);
    socket({ type: 'socket.opened' });
    expect(label()).toBe('Stop');
    capture({ type: 'playback.progressed', positionMs: 900, durationMs: 1000 }, { type: 'playback.ended' });
    expect(label()).toBe('Stop...');
    capture({ type: 'capture.stopped' });
    socket({ type: 'socket.closed', code: 1000, reason: '' });
    expect(label()).toBe('Rerun');
    actor.send({ type: 'run.requested' });
    expect(began).toHaveBeenLastCalledWith('capture', { source: 'file', file, fromMs: 0 });
  });
  it('a file that was stopped halfway goes on from there', async () => {
    const { actor, capture, began, run, finish, pick, at } = recorder();
    await pick();
    run();
    capture({ type: 'playback.progressed', positionMs: 400, durationMs: 1000 });
    finish();
    expect(runLabel(at())).toBe('Run');
    actor.send({ type: 'run.requested' });
    expect(began).toHaveBeenLastCalledWith('capture', { source: 'file', file, fromMs: 400 });
  });
  it('LIV-17 LIV-07: a wrong context stops the run before anything begins', () => {
    const { actor, began, at } = recorder();
    actor.send({ type: 'settings.changed', patch: { context: 'no JSON' } });
    actor.send({ type: 'run.requested' });
    expect(at().hasTag('stopped')).toBe(true);
    expect(at().context.error?.code).toBe('invalid_context_structure');
    expect(began).not.toHaveBeenCalled();
  });
  it('LVP-06 LVP-04 LVP-08: an ended session is offered with its settings, words and id, until another one or Reset', async () => {
    const { actor, capture, socket, run, finish, pick, at } = recorder();
    const unsaved = () => savedOf(at())?.unsaved ?? null;
    actor.send({ type: 'settings.changed', patch: { enableSpeakerDiarization: true, context: '{"text":"Cars"}' } });
    run();
    capture({ type: 'audio.chunk', pcm: new ArrayBuffer(44_100 * 2), level: 0 });
    socket(token('Hi'), token(' the', false));
    // What is left in the middle is on offer as it was heard.
    expect(unsaved()).toMatchObject({ tokens: [{ text: 'Hi' }, { text: ' the' }] });
    const id = '0b7f6c1e-3f7a-4a37-9d0c-5d2a1e9f8b11';
    socket({
      type: 'socket.received',
      result: { tokens: [], finished: true, cost_usd: '0.0002', request_id: id },
    });
    finish();
    expect(unsaved()).toEqual({
      model: 'rt-1',
      filename: 'Microphone',
      audio_duration_ms: 1000,
      request_id: id,
      language_hints: ['en'],
      context: { text: 'Cars' },
      enable_speaker_diarization: true,
      tokens: [{ text: 'Hi' }],
    });
    expect(at().context.tally.costUsd).toBe('0.0002');
    run();
    expect(at().context.tally.costUsd).toBeNull();
    finish();
    await pick();
    run();
    socket(token('there'));
    finish();
    expect(unsaved()).toMatchObject({ filename: 'talk.wav', tokens: [{ text: 'there' }] });
    actor.send({ type: 'reset.requested' });
    expect(unsaved()).toBeNull();
  });
  it.each<[string, AnyEventObject]>([
    ['cannot begin', { type: 'socket.refused', error: liveError('cannot_handle_request') }],
    ['hears nothing', { type: 'socket.closed', code: 1000, reason: '' }],
    ['breaks before it hears anything', { type: 'socket.failed' }],
  ])('LVP-06: a session that %s leaves the one before it on offer, until words begin', (_, end) => {
    const { actor, capture, socket, run, finish, at } = recorder();
    const offered = () => at().children.savingSession?.getSnapshot().context.session?.tokens;
    const left = () => savedOf(at())?.unsaved?.tokens;
    const first = [{ text: 'Hi' }];
    run();
    socket(token('Hi'));
    finish();
    actor.send({ type: 'run.requested' });
    expect([offered(), left()]).toEqual([first, first]);
    capture(granted);
    socket({ type: 'socket.opened' }, token('<end>'), token(' '));
    expect([offered(), left()]).toEqual([first, first]);
    socket(end);
    expect([offered(), left()]).toEqual([first, first]);
    run();
    // Also where the first words come with the answer to a finalize.
    actor.send({ type: 'finalize.requested' });
    const tokens = ['there', '<fin>'].map((text) => ({ text, is_final: true }));
    socket({ type: 'socket.received', result: { tokens } });
    expect([offered(), left()]).toEqual([undefined, [{ text: 'there' }]]);
  });
  it('LVP-06: words that are not final, and are withdrawn, leave the session before on offer', () => {
    const { socket, run, finish, at } = recorder();
    const offered = () => at().children.savingSession?.getSnapshot().context.session?.tokens;
    const left = () => savedOf(at())?.unsaved?.tokens;
    const first = [{ text: 'Hi' }];
    run();
    socket(token('Hi', false));
    // Nothing else is on offer.
    expect([offered(), left()]).toEqual([undefined, first]);
    socket(token('Hi'));
    finish();
    run();
    socket(token('there', false));
    expect([offered(), left()]).toEqual([first, first]);
    finish();
    expect([offered(), left()]).toEqual([first, first]);
    run();
    socket(token('there', false), token('There'));
    expect([offered(), left()]).toEqual([undefined, [{ text: 'There' }]]);
  });
  it.each(['while it listens', 'with the answer to a finalize'])(
    'LVP-06: words begin once in each session, where the first come %s',
    (when) => {
      const { actor, socket, run, finish, told } = recorder({ plays: ['savingSession'] });
      const begun = () => told.mock.calls.filter(([event]) => event.type === 'session.began').length;
      for (const session of [1, 2]) {
        run();
        socket(token('Hi', false));
        if (when !== 'while it listens') actor.send({ type: 'finalize.requested' });
        const tokens = ['Hi', '<fin>'].map((text) => ({ text, is_final: true }));
        socket({ type: 'socket.received', result: { tokens } }, token(' there'));
        finish();
        expect(begun()).toBe(session);
      }
    },
  );
  it('LVP-06: says whose words can be kept: those of the last session, or of one before it', () => {
    const { actor, socket, run, finish, at } = recorder();
    const offersLast = () => [at().context.offersLast, savedOf(at())?.offersLast];
    run();
    socket(token('Hi'));
    // What is left in the middle is kept as the last.
    expect(offersLast()).toEqual([false, true]);
    finish();
    expect(offersLast()).toEqual([true, true]);
    actor.send({ type: 'run.requested' });
    actor.send({ type: 'cancel.requested' });
    expect([at().hasTag('stopped'), ...offersLast()]).toEqual([true, false, false]);
    run();
    socket(token('there', false));
    expect(offersLast()).toEqual([false, false]);
    socket({ type: 'socket.failed' });
    expect(offersLast()).toEqual([true, true]);
  });
  it('LVP-11: sound recorded before the connection stands counts as sent once it does', () => {
    const { actor, capture, socket, at } = recorder();
    const counted = () => [at().context.tally.soundMs, at().context.tally.unsentMs];
    const second = { type: 'audio.chunk', pcm: new ArrayBuffer(44_100 * 2), level: 0 };
    actor.send({ type: 'run.requested' });
    capture(granted, second);
    expect(counted()).toEqual([0, 1000]);
    socket({ type: 'socket.opened' });
    expect(counted()).toEqual([1000, 0]);
    capture(second);
    expect(counted()).toEqual([2000, 0]);
  });
  it('LIV-20: the timer counts while running and stands still after', () => {
    const { actor, clock, run, finish, ended, at } = recorder();
    run();
    clock({ type: 'clock.ticked', elapsedSeconds: 7 });
    expect(at().context.elapsedSeconds).toBe(7);
    finish();
    expect(ended).toHaveBeenCalledWith('clock');
    expect(at().context.elapsedSeconds).toBe(7);
    actor.send({ type: 'run.requested' });
    expect(at().context.elapsedSeconds).toBe(0);
  });
});
