import { describe, expect, it, vi } from 'vitest';
import { createActor } from 'xstate';
import { createProbeFile } from '#src/effects/audio/probeFile.ts';
import type { CaptureEvent } from '#machines/playground/stream/actors.ts';
import type { PickedFile } from '#machines/playground/upload/actors.ts';
import { isLiveSupported } from '#src/effects/audio/capture.ts';
import { openFileAudio } from '#src/effects/audio/fileAudio.ts';
import { loudness, loudnessOf } from '#src/effects/audio/loudness.ts';
import { openMicrophone } from '#src/effects/audio/microphone.ts';
import { type openPcmTap, type PcmTapHandlers, TapUnavailable } from '#src/effects/audio/pcmTap.ts';

/** What an audio context, a tap and a track do here is only to be noted. */
function fakeAudio(sampleRate: number) {
  const context = {
    sampleRate,
    state: 'running',
    onstatechange: null as (() => void) | null,
    destination: {},
    resume: vi.fn(() => Promise.resolve()),
    close: vi.fn(() => Promise.resolve()),
    createMediaStreamSource: vi.fn(() => ({ connect: vi.fn() })),
    createMediaElementSource: vi.fn(() => ({ connect: vi.fn() })),
  };
  let handlers: PcmTapHandlers | undefined;
  const tap = { node: {}, start: vi.fn(() => handlers?.onStarted?.()), stop: vi.fn(), close: vi.fn() };
  const openTap = ((_context: AudioContext, given: PcmTapHandlers) => {
    handlers = given;
    return Promise.resolve(tap);
  }) as unknown as typeof openPcmTap;
  return {
    context,
    tap,
    openTap,
    createContext: () => context as unknown as AudioContext,
    hear: () => handlers ?? expect.fail('no tap'),
  };
}

type Tap = { openTap?: typeof openPcmTap };

function microphone(
  grant: (constraints: MediaStreamConstraints) => Promise<MediaStream>,
  { isSecureContext = true, ...more }: { isSecureContext?: boolean } & Tap = {},
) {
  const audio = fakeAudio(16_000);
  const said: CaptureEvent[] = [];
  const getUserMedia = vi.fn(grant);
  const capture = openMicrophone(null, (event) => said.push(event), {
    isSecureContext,
    getUserMedia: isSecureContext ? getUserMedia : undefined,
    ...audio,
    ...more,
  });
  return { ...audio, said, capture, getUserMedia };
}

function fakeStream() {
  const track = { stop: vi.fn(), onended: null as (() => void) | null };
  return { track, stream: { getTracks: () => [track] } as unknown as MediaStream };
}

const refusal = (detail: unknown) => ({
  type: 'media.refused',
  error: {
    code: 'get_user_media_failed',
    message: "You did not grant permission to use your device's microphone.",
    detail,
  },
});

describe('the microphone', () => {
  it('LIV-12: asks for mono, raw, 44100 Hz, and tells the actual rate', async () => {
    const { stream } = fakeStream();
    const { said, getUserMedia, context } = microphone(() => Promise.resolve(stream));
    await vi.waitFor(() => expect(said).toEqual([{ type: 'media.granted', sampleRate: 16_000, channels: 1 }]));
    expect(getUserMedia).toHaveBeenCalledExactlyOnceWith({
      audio: {
        channelCount: 1,
        sampleRate: 44_100,
        echoCancellation: false,
        noiseSuppression: false,
        autoGainControl: false,
      },
    });
    expect(context.createMediaStreamSource).toHaveBeenCalledExactlyOnceWith(stream);
  });

  /** One that was granted. */
  async function granted() {
    const { stream, track } = fakeStream();
    const opened = microphone(() => Promise.resolve(stream));
    await vi.waitFor(() => expect(opened.said).toHaveLength(1));
    return { ...opened, track };
  }

  it('sends chunks, hands over the last one at a stop, and only then is stopped and released', async () => {
    const { said, capture, tap, hear, context, track } = await granted();
    capture.command({ type: 'capture.start' });
    expect(tap.start).toHaveBeenCalledOnce();
    const pcm = new ArrayBuffer(4);
    hear().onChunk(pcm, 0.5);
    capture.command({ type: 'capture.stop' });
    expect([said.length, track.stop.mock.calls.length]).toEqual([2, 0]);
    hear().onChunk(pcm, 0.5);
    hear().onDrained();
    expect(said.slice(1)).toEqual([
      { type: 'audio.chunk', pcm, level: 0.5 },
      { type: 'audio.chunk', pcm, level: 0.5 },
      { type: 'capture.stopped' },
    ]);
    expect([track.stop.mock.calls.length, context.close.mock.calls.length]).toEqual([1, 1]);
  });

  it.each([
    ['NotAllowedError', true, /^Allow the microphone in your browser/],
    ['NotFoundError', true, /No microphone was found/],
    ['NotReadableError', true, /in use by another application/],
    ['SecurityError', true, /settings of this browser/],
    ['an insecure page', false, /https/],
  ])('ERR-05: %s is get_user_media_failed with its text and its cause', async (name, isSecureContext, cause) => {
    const { said } = microphone(() => Promise.reject(new DOMException('no', name)), { isSecureContext });
    await vi.waitFor(() => expect(said).toEqual([refusal(expect.stringMatching(cause))]));
  });

  it('gives a late grant back at once and stays silent', async () => {
    const { stream, track } = fakeStream();
    let grant: (stream: MediaStream) => void = () => undefined;
    const { said, capture, context } = microphone(() => new Promise((resolve) => (grant = resolve)));
    capture.close();
    grant(stream);
    await vi.waitFor(() => expect(track.stop).toHaveBeenCalled());
    expect(said).toEqual([]);
    expect(context.createMediaStreamSource).not.toHaveBeenCalled();
  });

  it('is lost when its track ends, and released', async () => {
    const { said, context, track } = await granted();
    track.onended?.();
    expect(said[1]).toMatchObject({ type: 'capture.failed', error: { code: 'microphone_lost' } });
    expect([track.stop.mock.calls.length, context.close.mock.calls.length]).toEqual([1, 1]);
  });

  it('wakes a context that the system has halted', async () => {
    const { said, context } = await granted();
    context.state = 'interrupted';
    context.resume.mockRejectedValueOnce(new Error('busy'));
    context.onstatechange?.();
    await vi.waitFor(() => expect(said[1]).toMatchObject({ type: 'capture.failed' }));
  });
});

/** The little of an audio element that a test can drive. */
class FakeElement extends EventTarget {
  src = '';
  preload = '';
  currentTime = 0;
  duration = 2;
  playbackRate = 1;
  ended = false;
  error: { code: number; message: string } | null = null;
  play = vi.fn(() => Promise.resolve());
  pause = vi.fn();
  load = vi.fn();
  removeAttribute = vi.fn();
  fire = (type: string) => void this.dispatchEvent(new Event(type));
}

function fileAudio(fromMs = 0, { file = new File(['x'], 'a.wav'), ...more }: { file?: PickedFile } & Tap = {}) {
  const audio = fakeAudio(44_100);
  const element = new FakeElement();
  const said: CaptureEvent[] = [];
  const revokeObjectURL = vi.fn();
  const capture = openFileAudio(file, fromMs, (event) => said.push(event), {
    ...audio,
    createElement: () => element as unknown as HTMLAudioElement,
    createObjectURL: () => 'blob:1',
    revokeObjectURL,
    ...more,
  });
  const granted = async () => {
    await vi.waitFor(() => expect(element.src).toBe('blob:1'));
    element.fire('canplay');
    await vi.waitFor(() => expect(said).toEqual([{ type: 'media.granted', sampleRate: 44_100, channels: 1 }]));
    said.length = 0;
  };
  return { ...audio, element, said, capture, revokeObjectURL, granted };
}

const UNKNOWN = 'It could not be opened. Choose it again, or choose another one.';
const FILE_ERROR = { code: 'input_file_error', message: 'Failed to load input file.' };

const MODULE_ERROR = {
  type: 'media.refused',
  error: {
    code: 'audio_module_failed',
    message:
      'The part of this page that reads the sound could not be loaded. Check your connection, reload the page, then run again.',
  },
};
const noTap = () =>
  Promise.reject(new TapUnavailable({ cause: new DOMException("Unable to load a worklet's module.", 'AbortError') }));

describe('ERR-05: a worklet that cannot be loaded', () => {
  it('is told as what it is by the microphone, which is let go', async () => {
    const { stream, track } = fakeStream();
    const { said } = microphone(() => Promise.resolve(stream), { openTap: noTap });
    await vi.waitFor(() => expect(said).toEqual([MODULE_ERROR]));
    expect(track.stop).toHaveBeenCalledOnce();
  });

  it('is told as what it is by a file', async () => {
    const { said } = fileAudio(0, { openTap: noTap });
    await vi.waitFor(() => expect(said).toEqual([MODULE_ERROR]));
  });
});

describe('a file as the source of sound', () => {
  it('LIV-11: plays from a position, tells the progress and the end, and stops after the drain', async () => {
    const { element, capture, tap, said, granted, hear, revokeObjectURL, context } = fileAudio(1500);
    await granted();
    expect(element.currentTime).toBe(1.5);
    capture.command({ type: 'capture.start' });
    expect([tap.start.mock.calls.length, element.play.mock.calls.length]).toEqual([1, 1]);
    element.currentTime = 2;
    element.ended = true;
    element.fire('pause');
    element.fire('ended');
    expect(said).toEqual([
      { type: 'playback.progressed', positionMs: 2000, durationMs: 2000 },
      { type: 'playback.ended' },
    ]);
    capture.command({ type: 'capture.stop' });
    expect(said).toHaveLength(2);
    hear().onDrained();
    expect(said.at(-1)).toEqual({ type: 'capture.stopped' });
    expect(element.play).toHaveBeenCalledOnce();
    expect(revokeObjectURL).toHaveBeenCalledExactlyOnceWith('blob:1');
    expect(context.close).toHaveBeenCalledOnce();
  });

  it('LIV-11: sounds only once the audio thread listens, and not at all when it was stopped before', async () => {
    const { element, capture, tap, granted, hear } = fileAudio();
    tap.start.mockImplementation(() => undefined);
    await granted();
    capture.command({ type: 'capture.start' });
    expect([tap.start.mock.calls.length, element.play.mock.calls.length]).toEqual([1, 0]);
    hear().onStarted?.();
    expect(element.play).toHaveBeenCalledOnce();
    capture.command({ type: 'capture.stop' });
    hear().onStarted?.();
    expect(element.play).toHaveBeenCalledOnce();
  });

  it('keeps the pace of real time', async () => {
    const { element, capture, granted } = fileAudio();
    await granted();
    capture.command({ type: 'capture.start' });
    element.playbackRate = 2;
    element.fire('ratechange');
    element.fire('pause');
    expect([element.playbackRate, element.play.mock.calls.length]).toEqual([1, 2]);
  });

  it('ERR-05: a file that cannot be loaded is input_file_error', async () => {
    const { element, said, revokeObjectURL } = fileAudio();
    await vi.waitFor(() => expect(element.src).toBe('blob:1'));
    element.error = {
      code: 4,
      message: 'PipelineStatus::DEMUXER_ERROR_COULD_NOT_OPEN: FFmpegDemuxer: open context failed',
    };
    element.fire('error');
    // CON-19: in words, not in those of the browser's insides.
    expect(said).toEqual([
      {
        type: 'media.refused',
        error: {
          ...FILE_ERROR,
          detail: 'This browser cannot play it. Choose an audio or video file, such as MP3 or WAV.',
        },
      },
    ]);
    expect(revokeObjectURL).toHaveBeenCalledOnce();
  });

  it('ERR-05: one that breaks while it plays loses the capture; what is no file is refused', async () => {
    const playing = fileAudio();
    await playing.granted();
    playing.capture.command({ type: 'capture.start' });
    playing.element.fire('error');
    expect(playing.said).toEqual([{ type: 'capture.failed', error: { ...FILE_ERROR, detail: UNKNOWN } }]);
    const none = fileAudio(0, { file: { name: 'a.wav', size: 1, type: '' } });
    await vi.waitFor(() =>
      expect(none.said).toEqual([{ type: 'media.refused', error: { ...FILE_ERROR, detail: UNKNOWN } }]),
    );
  });
});

it('LIV-21: a browser without audio worklets cannot run a live session', () => {
  const page = { WebSocket: 1, AudioContext: 1, AudioWorklet: 1, AudioWorkletNode: 1 };
  expect(isLiveSupported(page)).toBe(true);
  for (const name of Object.keys(page))
    expect(isLiveSupported(Object.fromEntries(Object.entries(page).filter(([key]) => key !== name)))).toBe(false);
});

it('the level meter shows loudness in decibels, silence as nothing', () => {
  expect(loudness(new Float32Array(64))).toBe(0);
  expect(loudness(new Float32Array(64).fill(1))).toBe(1);
  expect(loudness(new Float32Array(64).fill(0.0316))).toBeCloseTo(0.5, 2);
  expect(loudness(new Float32Array())).toBe(0);
});

describe('LVP-01: how loud a chunk is', () => {
  it('is 0 for silence, 1 at full scale, between them for speech', () => {
    expect(loudnessOf(new Int16Array(100).buffer)).toBe(0);
    expect(loudnessOf(new Int16Array(100).fill(-32_768).buffer)).toBe(1);
    expect(loudnessOf(new Int16Array(100).fill(1000).buffer)).toBeCloseTo(0.495, 2);
  });
});

describe('whether a file can be played', () => {
  const probe = () => {
    const element = new FakeElement();
    const revokeObjectURL = vi.fn();
    const probing = createActor(
      createProbeFile({
        createElement: () => element as unknown as HTMLAudioElement,
        createObjectURL: () => 'blob:1',
        revokeObjectURL,
      }),
      { input: { file: new File(['x'], 'a.wav') } },
    );
    const failures: unknown[] = [];
    probing.subscribe({ error: (error) => failures.push(error) });
    return { element, revokeObjectURL, probing: probing.start(), failures };
  };

  it('LIV-10: is known once the browser has enough of it, and the file is let go', async () => {
    const { element, probing, revokeObjectURL } = probe();
    expect(element.src).toBe('blob:1');
    element.fire('canplay');
    await vi.waitFor(() => expect(probing.getSnapshot().status).toBe('done'));
    expect(revokeObjectURL).toHaveBeenCalledExactlyOnceWith('blob:1');
    expect(element.play).not.toHaveBeenCalled();
  });

  it.each([
    [3, 'It is damaged, or its sound is of a kind that this browser cannot decode.'],
    [4, 'This browser cannot play it. Choose an audio or video file, such as MP3 or WAV.'],
  ])('LIV-10 CON-19: error %d is told in words', async (code, words) => {
    const { element, probing, failures } = probe();
    element.error = { code, message: 'PipelineStatus::DECODER_ERROR_NOT_SUPPORTED' };
    element.fire('error');
    await vi.waitFor(() => expect(probing.getSnapshot().status).toBe('error'));
    expect(failures).toEqual([new Error(words)]);
  });
});
