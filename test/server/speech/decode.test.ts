import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { sniffFormat } from '#server/speech/audio-format.ts';
import { createAudioDecoder } from '#server/speech/decode-audio.ts';
import { decodeWithFfmpeg } from '#server/speech/decode-ffmpeg.ts';
import { decodeFile } from '#server/speech/decode-file.ts';
import { CLIPS_FOLDER, clip } from '#test/audio/clips.ts';

// Recognition is heavy: on a machine that does other work too, it may take its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 180_000 });

const decoder = createAudioDecoder();
const short = clip('short.wav');
const PATH = process.env['PATH'];
let folder: string;

beforeAll(async () => { folder = await mkdtemp(join(tmpdir(), 'decode-')); });
afterEach(() => { process.env['PATH'] = PATH; });
afterAll(() => rm(folder, { recursive: true }));

async function collect(pieces: AsyncIterable<Float32Array>): Promise<Float32Array> {
  const all: Float32Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Float32Array.from(all.flatMap((piece) => [...piece]));
}

const decode = (path: string, maxSeconds = 60): Promise<Float32Array> => collect(decoder.decode(path, { maxSeconds }));

async function file(name: string, content: Uint8Array | string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** Likeness of two recordings, 1 = the same shape, whatever the delay of up to 0.1 s that a codec adds. */
function likeness(one: Float32Array, two: Float32Array): number {
  let best = 0;
  for (let shift = -1600; shift <= 1600; shift += 1) {
    let product = 0;
    let powerOne = 0;
    let powerTwo = 0;
    for (let index = 8000; index < 24_000; index += 3) {
      const [a, b] = [one[index] ?? 0, two[index + shift] ?? 0];
      product += a * b;
      powerOne += a * a;
      powerTwo += b * b;
    }
    best = Math.max(best, product / Math.sqrt(powerOne * powerTwo));
  }
  return best;
}

interface WavFormat { tag: number; bits: number; channels?: number; rate?: number; write(view: DataView, at: number, sample: number): void }

/** A WAV file of the short clip in another sample format. */
function wav({ tag, bits, channels = 1, rate = 16_000, write }: WavFormat, samples: Float32Array = short.samples, declared?: number): Buffer {
  const bytes = bits / 8;
  const buffer = Buffer.alloc(44 + samples.length * bytes * channels);
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
  buffer.write('RIFF\0\0\0\0WAVEfmt ', 0, 'latin1');
  view.setUint32(4, buffer.length - 8, true);
  view.setUint32(16, 16, true);
  view.setUint16(20, tag, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * bytes * channels, true);
  view.setUint16(32, bytes * channels, true);
  view.setUint16(34, bits, true);
  buffer.write('data', 36);
  view.setUint32(40, declared ?? buffer.length - 44, true);
  samples.forEach((sample, index) => {
    for (let channel = 0; channel < channels; channel += 1) write(view, 44 + (index * channels + channel) * bytes, channel === 0 ? sample : 0);
  });
  return buffer;
}

const S16: WavFormat = { tag: 1, bits: 16, write: (view, at, sample) => view.setInt16(at, Math.round(sample * 32_767), true) };
const WAV_FORMATS: Record<string, WavFormat> = {
  s16: S16,
  s24: { tag: 1, bits: 24, write: (view, at, sample) => { const value = Math.round(sample * 8_388_607); view.setInt8(at + 2, value >> 16); view.setUint16(at, value & 0xffff, true); } },
  s32: { tag: 1, bits: 32, write: (view, at, sample) => view.setInt32(at, Math.round(sample * 2_147_483_647), true) },
  f32: { tag: 3, bits: 32, write: (view, at, sample) => view.setFloat32(at, sample, true) },
};

describe('WAV', () => {
  it.each(Object.keys(WAV_FORMATS))('%s gives the samples that are in it', async (name) => {
    const format = WAV_FORMATS[name] ?? S16;
    const samples = await collect(decodeFile(await file(`${name}.wav`, wav(format)), 'wav'));
    expect(samples.length).toBe(short.samples.length);
    expect(samples.findIndex((sample, index) => Math.abs(sample - (short.samples[index] ?? 0)) > 0.0001)).toBe(-1);
  });

  it.each([['A-law', 6, 0xd5], ['µ-law', 7, 0xff]])('%s is expanded', async (_, tag, silence) => {
    const format: WavFormat = { tag, bits: 8, write: (view, at, sample) => view.setUint8(at, sample === 0 ? silence : 0x2a) };
    const samples = await collect(decodeFile(await file(`law${tag}.wav`, wav(format, Float32Array.of(0, 0, 1, 1))), 'wav'));
    expect(Math.abs(samples[0] ?? 1)).toBeLessThan(0.001);
    expect(Math.abs(samples[2] ?? 0)).toBeGreaterThan(0.1);
  });

  it('of several channels is mixed, and of another rate resampled', async () => {
    const samples = await decode(await file('stereo.wav', wav({ ...S16, channels: 2, rate: 32_000 })));
    expect(samples.length).toBe(Math.ceil(short.samples.length / 2));
    const peak = (values: Float32Array): number => values.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
    expect(peak(samples) / peak(short.samples)).toBeGreaterThan(0.4);
    expect(peak(samples) / peak(short.samples)).toBeLessThan(0.55);
  });

  it('cut short gives what it holds', async () => {
    const whole = wav(S16);
    expect((await decode(await file('cut.wav', whole.subarray(0, 44 + 32_001)))).length).toBe(16_000);
    // A recorder that was stopped leaves a length of zero.
    expect((await decode(await file('open.wav', wav(S16, short.samples, 0)))).length).toBe(short.samples.length);
  });

  it.each([
    ['no channels', { ...S16, channels: 0 }],
    ['no rate', { ...S16, rate: 0 }],
    ['an unknown codec', { ...S16, tag: 0x2000 }],
  ])('with %s is refused', async (_, format) => {
    await expect(decode(await file('bad.wav', wav(format)))).rejects.toMatchObject({ code: 'invalid_audio' });
  });

  it('with a header only is refused', async () => {
    await expect(decode(await file('header.wav', wav(S16).subarray(0, 30)))).rejects.toMatchObject({ code: 'invalid_audio' });
    await expect(decode(await file('silent.wav', wav(S16).subarray(0, 44)))).rejects.toMatchObject({ code: 'invalid_audio' });
  });
});

describe('compressed formats', () => {
  it.each(['mp3', 'flac', 'ogg', 'opus'])('%s sounds like its original', async (extension) => {
    const samples = await decode(`${CLIPS_FOLDER}short.${extension}`);
    expect(Math.abs(samples.length - short.samples.length)).toBeLessThan(2400);
    expect(likeness(short.samples, samples)).toBeGreaterThan(0.9);
  });

  it('FLAC is exact, to its last sample', async () => {
    const samples = await decode(`${CLIPS_FOLDER}short.flac`);
    expect(samples.length).toBe(short.samples.length);
    expect(Math.max(...samples.map((sample, index) => Math.abs(sample - (short.samples[index] ?? 0))))).toBeLessThan(0.0001);
  });

  it.each(['mp3', 'flac', 'ogg', 'opus'])('%s cut short gives what it holds', async (extension) => {
    const whole = await readFile(`${CLIPS_FOLDER}short.${extension}`);
    const samples = await decode(await file(`half.${extension}`, whole.subarray(0, whole.length >> 1)));
    expect(samples.length).toBeGreaterThan(16_000);
    expect(samples.length).toBeLessThan(64_000);
  });

  it.each(['mp3', 'flac', 'ogg', 'opus'])('%s with damage in the middle does not hang or crash', async (extension) => {
    const damaged = await readFile(`${CLIPS_FOLDER}short.${extension}`);
    damaged.fill(0x5a, damaged.length >> 1, (damaged.length >> 1) + 700);
    const path = await file(`damaged.${extension}`, damaged);
    const outcome = await decode(path).then((samples) => samples.length > 8000, (error: unknown) => error instanceof Error && 'code' in error && error.code === 'invalid_audio');
    expect(outcome).toBe(true);
  });
});

describe('files that cannot be decoded', () => {
  it('empty, of no audio format, or missing', async () => {
    await expect(decode(await file('empty.wav', ''))).rejects.toMatchObject({ code: 'invalid_audio' });
    await expect(decode(await file('text.mp3', 'This is only text.\n'.repeat(100)))).rejects.toMatchObject({ code: 'invalid_audio' });
    await expect(decode(join(folder, 'none.wav'))).rejects.toThrow('ENOENT');
  });

  it('in a format that needs ffmpeg say so and name it', async () => {
    process.env['PATH'] = folder;
    const path = await file('video.mp4', '\0\0\0\x20ftypisom\0\0\0\0');
    await expect(decode(path)).rejects.toMatchObject({ code: 'unsupported_format', message: expect.stringMatching(/MP4.*install ffmpeg/) });
  });

  it('longer than allowed', async () => {
    await expect(decode(short.path, 2)).rejects.toMatchObject({ code: 'audio_too_long' });
  });

  it('are left at once when cancelled', async () => {
    const abort = new AbortController();
    const pieces = decoder.decode(clip('meeting-notes.wav').path, { maxSeconds: 60, signal: abort.signal })[Symbol.asyncIterator]();
    await pieces.next();
    abort.abort();
    const rest = async (): Promise<void> => { while ((await pieces.next()).done !== true); };
    await expect(rest()).rejects.toMatchObject({ code: 'aborted' });
    await expect(collect(decoder.decode(short.path, { maxSeconds: 60, signal: AbortSignal.abort() }))).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe.skipIf(process.platform === 'win32')('ffmpeg', () => {
  /** Stands in for ffmpeg: writes down how it was called and answers with a raw file. */
  async function pretend(body: string): Promise<string> {
    const path = await file('ffmpeg', `#!/bin/sh\necho "$@" > ${join(folder, 'called')}\n${body}\n`);
    await chmod(path, 0o755);
    return path;
  }

  it('decodes what is not built in, without touching the network or its terminal', async () => {
    const raw = await file('raw', short.pcm);
    await pretend(`exec /bin/cat ${raw}`);
    process.env['PATH'] = `${folder}:${PATH ?? ''}`;
    const path = await file('song.m4a', '\0\0\0\x20ftypM4A \0\0\0\0');
    expect((await decode(path)).length).toBe(short.samples.length);
    const called = await readFile(join(folder, 'called'), 'utf8');
    expect(called).toContain('-nostdin');
    expect(called).toContain('-protocol_whitelist file,pipe -f mov -i file:');
  });

  it('that fails makes the audio invalid', async () => {
    const ffmpeg = await pretend('echo "moov atom not found" >&2; exit 1');
    await expect(collect(decodeWithFfmpeg(ffmpeg, 'x.mp4', 'mp4'))).rejects.toMatchObject({ code: 'invalid_audio', message: expect.stringContaining('moov atom') });
    await expect(collect(decodeWithFfmpeg(join(folder, 'nothing-here'), 'x.mp4', 'mp4'))).rejects.toMatchObject({ code: 'invalid_audio' });
  });

  it('is ended when the decoding is cancelled', async () => {
    const ffmpeg = await pretend('while :; do echo xxxxxxxxxxxxxxxx; done');
    const abort = new AbortController();
    const reading = (async () => {
      for await (const piece of decodeWithFfmpeg(ffmpeg, 'x.mp4', 'mp4', abort.signal)) if (piece.length > 0) abort.abort();
    })();
    await expect(reading).rejects.toMatchObject({ code: 'aborted' });
  });
});

describe('formats are told by content', () => {
  it.each<[string, string | null, readonly number[] | string]>([
    ['an MP3 frame', 'mp3', [0xff, 0xfb, 0x90, 0x00]],
    ['an MP3 after zeros', 'mp3', [0, 0, 0, 0xff, 0xfb, 0x90, 0x00]],
    ['an ID3 tag', 'mp3', 'ID3\x04'],
    ['AAC in ADTS', 'aac', [0xff, 0xf1, 0x50, 0x80]],
    ['Matroska', 'matroska', [0x1a, 0x45, 0xdf, 0xa3]],
    ['AIFF', 'aiff', 'FORM\0\0\0\0AIFFCOMM'],
    ['RF64', 'rf64', 'RF64\xff\xff\xff\xffWAVE'],
    ['another Ogg codec', 'ogg', `OggS${'\0'.repeat(22)}\x01\x50Speex   `],
    ['set bits only', null, [0xff, 0xff, 0xff, 0xff]],
    ['text', null, 'hello'],
    ['nothing', null, []],
  ])('%s', (_, format, head) => {
    expect(sniffFormat(typeof head === 'string' ? Buffer.from(head, 'latin1') : Uint8Array.from(head))).toBe(format);
  });
});
