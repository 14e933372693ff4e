import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import type { BuiltInFormat } from '#server/engine/decode/audio-format.ts';
import { createAudioDecoder } from '#server/engine/decode/audio.ts';
import { joined } from '#server/engine/decode/bytes.ts';
import type { ThroughFfmpeg } from '#server/engine/decode/codec.ts';
import { findFfmpeg } from '#server/engine/decode/ffmpeg.ts';
import { decodeMono } from '#server/engine/decode/mono.ts';
import { Notes } from '#server/engine/decode/notes.ts';
import { openStreamDecoder } from '#server/engine/decode/stream.ts';
import { EngineError, type RecordingNote } from '#server/engine/port.ts';
import { matroska } from './containers.ts';
import { S16, collect, folder, known, short, wav, written } from './decode-fixtures.ts';

vi.setConfig({ testTimeout: 60_000 });

const RATE_44 = 4;
const RATE_16 = 8;
/** Frames with a header of ADTS; what they hold looks like no header. */
function adts(count: number, rate = RATE_44, channels = 1): Uint8Array {
  return joined(
    Array.from({ length: count }, (_, index) => {
      const frame = new Uint8Array(40 + index).fill(0x11);
      const { length } = frame;
      frame.set([0xff, 0xf1, 0x40 | (rate << 2), (channels << 6) | (length >> 11), length >> 3, (length & 7) << 5, 0]);
      return frame;
    }),
  );
}
const junk = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => (index * 89) & 0x7f);
const tag = joined([Buffer.from('ID3\x04\0\0\0\0\0\x40', 'latin1'), new Uint8Array(64)]);

/** Sound that stands in for what ffmpeg gives. */
const SOUND = new Float32Array(100).fill(0.5);
const sound = matroska([{ at: 0, samples: SOUND }]);

interface Heard {
  samples: Float32Array;
  notes: readonly RecordingNote[];
  /** What each ffmpeg was given. */
  given: Uint8Array[];
}

async function heard(
  bytes: Uint8Array,
  cut = 999,
  format: BuiltInFormat = 'aac',
  speak?: ThroughFfmpeg,
): Promise<Heard> {
  const given: Uint8Array[] = [];
  const through: ThroughFfmpeg = async function* through(aac) {
    const pieces: Uint8Array[] = [];
    for await (const piece of aac) pieces.push(piece);
    given.push(joined(pieces));
    yield sound;
  };
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += cut) yield bytes.subarray(at, at + cut);
  }
  const notes = new Notes();
  const samples = await collect(decodeMono(source(), format, notes, false, speak ?? through));
  return { samples, notes: notes.list(), given };
}

const counted = (type: RecordingNote['type'], count: number): RecordingNote => ({ type, count });

describe('AAC is taken apart', () => {
  it.each([1, 7, 999, 1e6])('AUD-20: each stretch of one kind is a part, in pieces of %i bytes', async (cut) => {
    const [mono, stereo] = [adts(10), adts(10, RATE_44, 2)];
    const { samples, notes, given } = await heard(
      joined([
        // A tag in front of its sound, as each segment of a live stream has; no header, and one of another kind.
        ...[mono, tag, tag, mono, junk(500), mono, adts(1, RATE_16), mono],
        ...[stereo, adts(2, RATE_16), stereo],
        ...[junk(70), adts(3, RATE_16), adts(1, RATE_16).subarray(0, 20)],
      ]),
      cut,
    );
    expect(given).toEqual([
      joined([mono, mono, mono, mono]),
      joined([stereo, stereo]),
      joined([adts(3, RATE_16), adts(1, RATE_16).subarray(0, 20)]),
    ]);
    expect(samples.length).toBe(3 * SOUND.length);
    expect(notes).toEqual([counted('parts_joined', 3)]);
  });

  it.each<[string, Uint8Array, Uint8Array[]]>([
    ['one frame', adts(1), [adts(1)]],
    ['the end of a frame, then frames', joined([adts(1).subarray(20), adts(3)]), [adts(3)]],
  ])('AUD-20: %s is heard', async (_, bytes, expected) => {
    const { given, notes } = await heard(bytes);
    expect(given).toEqual(expected);
    expect(notes).toEqual([]);
  });

  it('AUD-20: what looks like a frame in front, and gives nothing, is no part', async () => {
    const { notes } = await heard(joined([adts(1, RATE_16), adts(3)]), 999, 'aac', async function* mute(aac) {
      for await (const { length } of aac) if (length > 100) yield sound;
    });
    expect(notes).toEqual([]);
  });

  it('AUD-01: is heard before and behind other formats', async () => {
    const mp3 = await known('short.mp3');
    const alone = await heard(mp3.bytes, 999, mp3.format);
    for (const [format, first, second] of [
      ['wav', wav(S16), adts(5)],
      ['aac', adts(5), wav(S16)],
    ] as const) {
      const { samples, notes, given } = await heard(
        joined([first, second, mp3.bytes, junk(700), adts(9)]),
        999,
        format,
      );
      expect(Math.abs(samples.length - short.samples.length - alone.samples.length - 2 * SOUND.length)).toBeLessThan(9);
      expect(given).toEqual([adts(5), adts(9)]);
      expect(notes).toEqual([counted('parts_joined', 4)]);
    }
  });

  const damaged = new EngineError('invalid_audio', 'ffmpeg says so');

  it('AUD-15: of which one stretch cannot be heard, or not to its end, takes nothing from the others', async () => {
    const long = joined(new Array<Uint8Array>(9).fill(adts(20, RATE_44, 2)));
    const { samples, notes } = await heard(joined([adts(5), long, adts(5)]), 999, 'aac', async function* half(aac) {
      const { value } = await aac.next();
      if (value !== undefined && value.length > 500) throw damaged;
      for await (const _ of aac);
      yield sound;
    });
    expect(samples.length).toBe(2 * SOUND.length);
    expect(notes).toEqual([counted('parts_joined', 2), counted('parts_left_out', 1)]);
    const ended = await heard(joined([long, adts(5)]), 999, 'aac', async function* early(aac) {
      await aac.next();
      yield sound;
    });
    expect(ended.samples.length).toBe(2 * SOUND.length);
    expect(ended.notes).toEqual([counted('parts_joined', 2), counted('parts_left_out', 1)]);
    // All of it was taken, but not heard.
    const killed = await heard(long, 999, 'aac', async function* killed(aac) {
      for await (const _ of aac);
      yield sound;
      throw damaged;
    });
    expect(killed.samples.length).toBe(SOUND.length);
    expect(killed.notes).toEqual([counted('parts_left_out', 1)]);
  });

  it('is refused by what ffmpeg says where nothing is heard, and where there are no frames', async () => {
    await expect(
      heard(adts(5), 999, 'aac', async function* broken() {
        yield new Uint8Array(0);
        throw damaged;
      }),
    ).rejects.toBe(damaged);
    // What is further on is not waited for.
    await expect(heard(joined([junk(70_000), adts(3)]))).rejects.toMatchObject({
      code: 'invalid_audio',
      message: 'The audio is damaged and cannot be decoded.',
    });
  });

  it('AUD-20: of more than 200 parts has the rest left out', async () => {
    const { notes } = await heard(joined(new Array<Uint8Array>(103).fill(joined([adts(3), adts(3, RATE_16)]))));
    expect(notes).toEqual([counted('parts_joined', 200), counted('parts_left_out', 6)]);
  });
});

/** The real one, where the machine has it. */
const installed = await findFfmpeg();

// None where there is none: nothing is skipped.
describe.each(installed === undefined ? [] : [installed])('AAC through the ffmpeg of this machine', (ffmpeg) => {
  async function made(rate: number, channels: number): Promise<Uint8Array> {
    const path = join(folder, `${rate}-${channels}.aac`);
    const shape = ['-ar', String(rate), '-ac', String(channels), '-f', 'adts'];
    await promisify(execFile)(ffmpeg, ['-nostdin', '-loglevel', 'error', '-y', '-i', short.path, ...shape, path]);
    return new Uint8Array(await readFile(path));
  }

  /** As a file and live. */
  async function seconds(
    bytes: Uint8Array,
  ): Promise<{ file: number; live: number; notes: readonly RecordingNote[][] }> {
    const notes: RecordingNote[][] = [];
    const onNotes = (all: readonly RecordingNote[]): void => void notes.push([...all]);
    const path = await written('made.aac', bytes);
    const file = await collect(createAudioDecoder().decode(path, { maxSeconds: 99, onNotes }));
    let live = 0;
    const stream = openStreamDecoder('aac', {
      audio: ({ length }) => {
        live += length / 2;
        return undefined;
      },
      error: (error) => {
        throw error;
      },
    });
    for (let at = 0; at < bytes.length; at += 3000) stream.push(bytes.subarray(at, at + 3000));
    await stream.end();
    onNotes(stream.notes());
    return { file: file.length / 16_000, live: live / 16_000, notes };
  }

  it('AUD-01, AUD-20: joined to one of another rate, and with other channels, and to WAV', async () => {
    const { file, live, notes } = await seconds(
      joined([await made(16_000, 1), await made(44_100, 1), junk(3000), await made(44_100, 2), wav(S16)]),
    );
    const whole = (4 * short.samples.length) / 16_000;
    expect(Math.abs(file - whole)).toBeLessThan(0.5);
    expect(live).toBe(file);
    expect(notes).toEqual([[counted('parts_joined', 4)], [counted('parts_joined', 4)]]);
  });

  it('AUD-20: is heard behind junk in its middle', async () => {
    const bytes = await made(44_100, 1);
    const { file, live, notes } = await seconds(joined([bytes, junk(5000), bytes]));
    expect(Math.abs(file - (2 * short.samples.length) / 16_000)).toBeLessThan(0.3);
    expect(live).toBe(file);
    expect(notes).toEqual([[], []]);
  });
});
