import { describe, expect, it, vi } from 'vitest';
import { createAudioDecoder } from '#server/engine/decode/audio.ts';
import { joined } from '#server/engine/decode/bytes.ts';
import { openStreamDecoder } from '#server/engine/decode/stream.ts';
import { joinedNotes } from '#server/engine/decode/notes.ts';
import type { RecordingNote } from '#server/engine/port.ts';
import { matroska, RATE, type Block, type TrackTags } from './containers.ts';
import { collect, known, S16, short, wav, written } from './decode-fixtures.ts';

vi.setConfig({ testTimeout: 60_000 });

const decoder = createAudioDecoder();
const loudness = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length);
const upsideDown = short.samples.map((sample) => -sample);
/** Speech in a track, in blocks of a tenth of a second. */
const spoken = (track: number, samples: Float32Array): Block[] =>
  Array.from({ length: Math.floor((10 * samples.length) / RATE) }, (_, index) => ({
    at: index / 10,
    samples: samples.subarray((index * RATE) / 10, ((index + 1) * RATE) / 10),
    track,
  }));
const tracks = (one: Float32Array, two: Float32Array, tags: TrackTags[] = [{}, {}]): Uint8Array =>
  matroska(
    [...spoken(1, one), ...spoken(2, two)].toSorted((a, b) => a.at - b.at),
    tags,
  );
/** Another codec than Matroska is read with here. */
const unreadable = Buffer.from(matroska(spoken(1, short.samples)))
  .toString('latin1')
  .replace('A_PCM/INT/LIT', 'A_TRUEHD/SOME');

const opus = async (): Promise<Uint8Array> => (await known('short.opus')).bytes;

async function told(bytes: Uint8Array): Promise<{ notes: readonly RecordingNote[]; samples: Float32Array }> {
  const path = await written(`notes-${bytes.length}`, bytes);
  let notes: readonly RecordingNote[] = [];
  const samples = await collect(decoder.decode(path, { maxSeconds: 60, onNotes: (all) => (notes = all) }));
  return { notes, samples };
}

async function toldLive(bytes: Uint8Array): Promise<readonly RecordingNote[]> {
  const stream = openStreamDecoder('auto', {
    audio: () => undefined,
    error: (error) => {
      throw error;
    },
  });
  stream.push(bytes);
  await stream.end();
  return stream.notes();
}

describe('AUD-07: what is told of a recording', () => {
  it.each<[string, () => Promise<Uint8Array> | Uint8Array, RecordingNote[]]>([
    ['a plain one', () => wav(S16), []],
    ['two joined', () => joined([wav(S16), wav(S16)]), [{ type: 'parts_joined', count: 2 }]],
    [
      'joined ones of which one cannot be heard',
      async () => joined([matroska(spoken(1, short.samples)), Buffer.from(unreadable, 'latin1')]),
      [{ type: 'parts_left_out', count: 1 }],
    ],
    ['two tracks', () => tracks(short.samples, short.samples), [{ type: 'tracks_mixed', count: 2 }]],
    [
      'two tracks of which one is in another language',
      () => tracks(short.samples, short.samples, [{ language: 'eng' }, { language: 'ger', isDefault: false }]),
      [{ type: 'tracks_left_out', count: 1 }],
    ],
    [
      'joined Ogg of which one holds no codec that is known',
      async () => {
        const bytes = await opus();
        // Its head is that of Speex; what follows is not looked at.
        const other = Buffer.from(bytes);
        other.write('Speex   ', other.indexOf('OpusHead'), 'latin1');
        return joined([bytes, other]);
      },
      [{ type: 'parts_left_out', count: 1 }],
    ],
    ['two Ogg joined', async () => joined([await opus(), await opus()]), [{ type: 'parts_joined', count: 2 }]],
  ])('%s, as a file and live', async (_what, bytes, notes) => {
    const recording = await bytes();
    expect((await told(recording)).notes).toEqual(notes);
    expect(await toldLive(recording)).toEqual(notes);
  });

  it('channels that cancel each other', async () => {
    const write = (view: DataView, at: number, sample: number): void => {
      if (at % 4 > 0) return;
      S16.write(view, at, sample);
      S16.write(view, at + 2, -sample);
    };
    const { notes } = await told(wav({ ...S16, channels: 2, write }));
    expect(notes).toEqual([{ type: 'channels_not_mixed', count: 2 }]);
  });

  it('AUD-06: tracks that cancel each other are heard as the louder one', async () => {
    const { notes, samples } = await told(tracks(short.samples, upsideDown));
    expect(notes).toEqual([
      { type: 'tracks_mixed', count: 2 },
      { type: 'channels_not_mixed', count: 2 },
    ]);
    expect(loudness(samples) / loudness(short.samples)).toBeGreaterThan(0.9);
  });

  it.each<[string, Parameters<typeof joinedNotes>[0], RecordingNote[]]>([
    ['one alone as its own', [[{ type: 'tracks_mixed', count: 2 }]], [{ type: 'tracks_mixed', count: 2 }]],
    ['none where nothing was done', [[]], []],
    ['each one that was heard', [[], []], [{ type: 'parts_joined', count: 2 }]],
    [
      'the parts of all, and one that was not heard',
      [
        [],
        null,
        [
          { type: 'parts_joined', count: 3 },
          { type: 'parts_left_out', count: 1 },
        ],
      ],
      [
        { type: 'parts_joined', count: 4 },
        { type: 'parts_left_out', count: 2 },
      ],
    ],
    [
      'the most tracks and channels of any',
      [
        [{ type: 'tracks_left_out', count: 1 }],
        [
          { type: 'tracks_mixed', count: 3 },
          { type: 'channels_not_mixed', count: 2 },
        ],
        [{ type: 'tracks_mixed', count: 2 }],
      ],
      [
        { type: 'parts_joined', count: 3 },
        { type: 'tracks_mixed', count: 3 },
        { type: 'tracks_left_out', count: 1 },
        { type: 'channels_not_mixed', count: 2 },
      ],
    ],
  ])('of joined ones that are decoded one by one: %s', (_what, parts, notes) => {
    expect(joinedNotes(parts)).toEqual(notes);
  });
});
