import { afterEach, describe, expect, it, vi } from 'vitest';
import { fromCallback, type AnyEventObject } from 'xstate';
import { liveError } from '#machines/playground/live/errors.ts';
import { streamMachine, type StreamInput } from '#machines/playground/stream/machine.ts';
import { underParent } from '../playground-fixtures.ts';

/** A session whose microphone and socket are played by the test; `log` holds what they were told, in order. */
function session(input: StreamInput) {
  const log: string[] = [];
  const answer: Record<string, (event: AnyEventObject) => void> = {};
  const played = (name: string) =>
    fromCallback(({ sendBack, receive }) => {
      log.push(`${name} begins`);
      answer[name] = sendBack;
      receive((event) => {
        log.push(`${name} ← ${event.type}`);
        configs.push(event);
      });
      return () => void log.push(`${name} ends`);
    });
  const configs: AnyEventObject[] = [];
  const under = underParent(
    streamMachine.provide({ actors: { capture: played('capture'), socket: played('socket') } as never }),
    input,
  );
  const from = (name: 'capture' | 'socket') => (event: AnyEventObject) => answer[name]?.(event);
  return {
    ...under,
    log,
    configs,
    capture: from('capture'),
    socket: from('socket'),
    state: () => under.child.getSnapshot(),
  };
}
const microphone: StreamInput = { audio: { source: 'microphone', deviceId: null }, config: { model: 'rt-1' } };
const fromFile: StreamInput = {
  audio: { source: 'file', file: { name: 'a.wav', size: 1, type: '' }, fromMs: 0 },
  config: {},
};
const granted = { type: 'media.granted', sampleRate: 48_000, channels: 1 };
const chunk = { type: 'audio.chunk', pcm: new ArrayBuffer(4), level: 0.25 };

afterEach(() => {
  vi.useRealTimers();
});

describe('a live session', () => {
  it('LIV-02 LIV-03 LIV-04: microphone, socket, audio, stop, empty message, close 1000', () => {
    const { child, log, configs, capture, socket, state, told } = session(microphone);
    expect(state().value).toEqual({ capturing: 'requestingMedia' });
    capture(granted);
    expect(state().value).toEqual({ capturing: { openingWebSocket: 'connecting' } });
    expect(configs.find(({ type }) => type === 'connect.requested')?.['config']).toEqual({
      model: 'rt-1',
      audio_format: 's16le',
      sample_rate: 48_000,
      num_channels: 1,
    });
    capture(chunk);
    socket({ type: 'socket.opened' });
    expect(state().value).toEqual({ capturing: 'running' });
    child.send({ type: 'stop.requested' });
    expect(state().value).toEqual({ capturing: 'finishingRecording' });
    capture(chunk);
    capture({ type: 'capture.stopped' });
    expect(state().value).toBe('finishingProcessing');
    socket({ type: 'socket.received', result: { tokens: [{ text: 'last', is_final: true }] } });
    socket({ type: 'socket.closed', code: 1000, reason: '' });
    expect(state()).toMatchObject({ status: 'done', output: { kind: 'finished' } });
    // The last chunk goes out before the end of the audio, and the microphone is released before the server is done.
    expect(log).toEqual([
      'socket begins',
      'capture begins',
      'capture ← capture.start',
      'socket ← connect.requested',
      'socket ← audio.chunk',
      'capture ← capture.stop',
      'socket ← audio.chunk',
      'capture ends',
      'socket ← audio.ended',
      'socket ends',
    ]);
    // LVP-01: how loud each chunk is, and how long at the rate of the device.
    expect(told.filter(({ type }) => type === 'sound.measured')).toEqual(
      Array.from({ length: 2 }, () => ({
        type: 'sound.measured',
        level: 0.25,
        durationMs: chunk.pcm.byteLength / 2 / 48,
      })),
    );
    expect(told.map(({ type }) => type).filter((type) => type !== 'sound.measured')).toEqual([
      'stream.opened',
      'stream.finishing',
      'tokens.received',
    ]);
  });
  it('LIV-03: a file goes straight to the socket and plays only once that is open', () => {
    const { log, capture, socket, state } = session(fromFile);
    expect(state().value).toEqual({ capturing: { openingWebSocket: 'preparing' } });
    capture(granted);
    expect(log).not.toContain('capture ← capture.start');
    socket({ type: 'socket.opened' });
    expect(log.at(-1)).toBe('capture ← capture.start');
    expect(state().value).toEqual({ capturing: 'running' });
  });
  it('LIV-11: the end of playback ends the session in order', () => {
    const { log, capture, socket, state, told } = session(fromFile);
    capture(granted);
    socket({ type: 'socket.opened' });
    capture({ type: 'playback.ended' });
    expect(state().value).toEqual({ capturing: 'finishingRecording' });
    expect(log.at(-1)).toBe('capture ← capture.stop');
    expect(told.map(({ type }) => type)).toEqual(['stream.opened', 'playback.ended', 'stream.finishing']);
  });
  it('LIV-04: stop during the permission prompt finishes early, and a late grant opens nothing', () => {
    const { child, log, capture, socket, state } = session(microphone);
    child.send({ type: 'stop.requested' });
    expect(state().value).toBe('finishingEarly');
    expect(log).toContain('capture ends');
    capture(granted);
    expect(log).not.toContain('socket ← connect.requested');
    socket({ type: 'socket.closed', code: 1000, reason: '' });
    expect(state().output).toEqual({ kind: 'finished' });
  });
  it('LIV-02 LIV-04: stop while the socket opens finishes early, whatever the socket says', () => {
    const { child, log, capture, socket, state } = session(microphone);
    capture(granted);
    child.send({ type: 'stop.requested' });
    expect(state().value).toBe('finishingEarly');
    expect(log.slice(-2)).toEqual(['capture ends', 'socket ← audio.ended']);
    socket({ type: 'socket.closed', code: 1006, reason: '' });
    expect(state().output).toEqual({ kind: 'finished' });
  });
  it('LIV-05: any other close code is an error with code and reason', () => {
    const { log, capture, socket, state } = session(microphone);
    capture(granted);
    socket({ type: 'socket.opened' });
    socket({ type: 'socket.closed', code: 1011, reason: 'oops' });
    expect(state().output).toEqual({
      kind: 'error',
      error: {
        ...{ code: 'websocket_closed', message: 'The connection was lost.' },
        detail: 'WebSocket closed with code 1011 (oops).',
      },
    });
    expect(log).toEqual(expect.arrayContaining(['capture ends', 'socket ends']));
  });
  it('LIV-07: only the first error counts, since the session ends with it', () => {
    const { capture, socket, state } = session(microphone);
    capture(granted);
    socket({ type: 'socket.refused', error: liveError('too_many_concurrent_requests') });
    socket({ type: 'socket.closed', code: 1006, reason: '' });
    expect(state().output).toEqual({ kind: 'error', error: liveError('too_many_concurrent_requests') });
  });
  it('LIV-04: a device that does not stop is waited for 2 seconds', () => {
    vi.useFakeTimers();
    const running = session(microphone);
    running.capture(granted);
    running.socket({ type: 'socket.opened' });
    running.child.send({ type: 'stop.requested' });
    vi.advanceTimersByTime(1999);
    expect(running.state().value).toEqual({ capturing: 'finishingRecording' });
    vi.advanceTimersByTime(1);
    expect(running.state().value).toBe('finishingProcessing');
    expect(running.log.slice(-2)).toEqual(['capture ends', 'socket ← audio.ended']);
  });
  it('LIV-05: cancel ends everything at once', () => {
    const { child, log, capture, socket, state } = session(microphone);
    capture(granted);
    socket({ type: 'socket.opened' });
    child.send({ type: 'cancel.requested' });
    expect(state().output).toEqual({ kind: 'canceled' });
    expect(log).toEqual(expect.arrayContaining(['capture ends', 'socket ends']));
  });
});
