import { open, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { SNIFF_BYTES, id3Bytes, sniffFormat } from '#server/engine/decode/audio-format.ts';
import { createAudioDecoder } from '#server/engine/decode/audio.ts';
import { declaredLength } from '#server/engine/decode/declared-length.ts';
import { S16, audioFile, collect, decode, interleaved, rf64, short, wav, wave64, written } from './decode-fixtures.ts';

const LIMIT = 300 * 60;
const LONG = 6 * 3600;
const SECONDS = short.samples.length / 16_000;

async function declared(path: string): Promise<number | null> {
  const file = await open(path);
  try {
    const head = new Uint8Array(SNIFF_BYTES);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    const start = id3Bytes(head);
    const format = sniffFormat(
      start === 0 ? head.subarray(0, bytesRead) : (await readFile(path)).subarray(start, start + SNIFF_BYTES),
    );
    if (format === null) throw new Error(`${path} is of no known format.`);
    return await declaredLength(file, format, start);
  } finally {
    await file.close();
  }
}

/** The file with some of its bytes written over; `at` finds the place. */
async function patched(
  name: string,
  at: (bytes: Buffer) => number,
  write: (bytes: Buffer, at: number) => void,
): Promise<Buffer> {
  const bytes = await readFile(audioFile(name));
  const place = at(bytes);
  if (place < 0) throw new Error(`${name} has no such place.`);
  write(bytes, place);
  return bytes;
}
const after =
  (name: string, more = 0) =>
  (bytes: Buffer): number => {
    const at = bytes.indexOf(name, 0, 'latin1');
    return at < 0 ? -1 : at + name.length + more;
  };
const flacSaying = (samples: number): Promise<Buffer> =>
  patched(
    'short.flac',
    () => 8,
    (bytes, at) => {
      bytes.writeUInt8((bytes.readUInt8(at + 13) & 0xf0) | Math.floor(samples / 2 ** 32), at + 13);
      bytes.writeUInt32BE(samples % 2 ** 32, at + 14);
    },
  );
/** Two frames of a player's list, then the recording: 128 kbit/s, 44.1 kHz, mono or stereo alike. */
const mp3Saying = async (kind: 'Xing' | 'Info' | 'VBRI', frames: number): Promise<Buffer> => {
  const head = Buffer.alloc(417);
  head.set([0xff, 0xfb, 0x90, 0x00]);
  if (kind === 'VBRI') {
    head.write('VBRI', 36, 'latin1');
    head.writeUInt32BE(frames, 50);
  } else {
    head.write(kind, 36, 'latin1');
    head.writeUInt32BE(1, 40);
    head.writeUInt32BE(frames, 44);
  }
  return Buffer.concat([head, await readFile(audioFile('short.mp3'))]);
};
const lastPageAt = (bytes: Buffer): number => bytes.lastIndexOf('OggS', undefined, 'latin1') + 6;
const mp4Saying = (seconds: number): Promise<Buffer> =>
  patched('formats/aac.m4a', after('mdhd'), (bytes, at) =>
    bytes.writeUInt32BE(seconds * bytes.readUInt32BE(at + 12), at + 16),
  );
const matroskaSaying = (name: string, seconds: number): Promise<Buffer> =>
  patched(name, after('\x44\x89'), (bytes, at) => {
    if (bytes[at] === 0x88) bytes.writeDoubleBE(seconds * 1000, at + 1);
    else bytes.writeFloatBE(seconds * 1000, at + 1);
  });

const samples = (seconds: number): number => seconds * 16_000;
const SAYING: Record<string, (seconds: number) => Promise<Buffer> | Buffer> = {
  'long.wav': (seconds) => wav(S16, short.samples, samples(seconds) * 2),
  'long.rf64': (seconds) => {
    const file = rf64(interleaved(S16));
    file.writeBigUInt64LE(BigInt(samples(seconds) * 2), after('ds64', 12)(file));
    return file;
  },
  'long.w64': (seconds) => {
    const file = wave64(interleaved(S16));
    file.writeBigUInt64LE(BigInt(samples(seconds) * 2 + 24), file.lastIndexOf('data', undefined, 'latin1') + 16);
    return file;
  },
  'long.aiff': (seconds) =>
    patched('formats/pcm.aiff', after('COMM', 4), (bytes, at) => bytes.writeUInt32BE(seconds * 16_000, at + 2)),
  'long.caf': (seconds) =>
    patched('formats/mulaw.caf', after('data'), (bytes, at) => bytes.writeBigInt64BE(BigInt(seconds * 48_000 + 4), at)),
  'long.flac': (seconds) => flacSaying(samples(seconds)),
  'long.ogg': (seconds) =>
    patched('short.ogg', lastPageAt, (bytes, at) => bytes.writeBigUInt64LE(BigInt(seconds * 48_000), at)),
  'long.opus': (seconds) =>
    patched('short.opus', lastPageAt, (bytes, at) => bytes.writeBigUInt64LE(BigInt(seconds * 48_000), at)),
  'long.m4a': mp4Saying,
  'long.webm': (seconds) => matroskaSaying('formats/vorbis.webm', seconds),
  'long.mka': (seconds) => matroskaSaying('formats/flac.mka', seconds),
  'xing.mp3': (seconds) => mp3Saying('Xing', Math.ceil((seconds * 44_100) / 1152)),
  'info.mp3': (seconds) => mp3Saying('Info', Math.ceil((seconds * 44_100) / 1152)),
  'vbri.mp3': (seconds) => mp3Saying('VBRI', Math.ceil((seconds * 44_100) / 1152)),
};

describe('FAI-01 a recording that says itself that it is too long', () => {
  it.each(Object.keys(SAYING))('%s is refused before it is decoded, as one is that turns out to be', async (name) => {
    const path = await written(name, await SAYING[name]!(LONG));
    let pieces = 0;
    const decoding = async (): Promise<void> => {
      for await (const _ of createAudioDecoder().decode(path, { maxSeconds: LIMIT })) pieces += 1;
    };
    await expect(decoding()).rejects.toMatchObject({
      code: 'audio_too_long',
      message: `The audio is longer than ${LIMIT} seconds.`,
    });
    expect(pieces).toBe(0);
  });

  it.each(['long.wav', 'long.flac', 'long.opus', 'xing.mp3', 'long.webm'])(
    '%s as long as the limit is not',
    async (name) => {
      const path = await written(`at-limit-${name}`, await SAYING[name]!(LIMIT));
      expect((await decode(path, LIMIT)).length).toBeGreaterThan(15_000);
    },
  );
});

describe('FAI-01 what a recording declares', () => {
  it.each([
    ['short.wav', SECONDS],
    ['short.flac', SECONDS],
    ['short.ogg', SECONDS],
    ['short.opus', SECONDS],
    ['formats/pcm.aiff', 1],
    ['formats/alaw.aifc', 1],
    ['formats/mulaw.caf', 1],
    ['formats/adpcm-ima.wav', 1],
    ['formats/adpcm-ms.wav', 1],
    ['formats/mp3.wav', 1],
    ['formats/flac.oga', 1],
    ['formats/flac.mka', 1],
    ['formats/pcm.mka', 1],
    ['formats/vorbis.webm', 1],
  ])('%s is how long it is', async (name, seconds) => {
    expect(Math.abs(((await declared(audioFile(name))) ?? 0) - seconds)).toBeLessThan(0.15);
  });

  it.each(['formats/narrow.amr', 'formats/aac.aac', 'short.mp3'])('%s says nothing', async (name) => {
    expect(await declared(audioFile(name))).toBeNull();
  });

  it.each([0, 0xffff_ffff, 0x7fff_f000, 0x8000_0000])(
    'a WAV that was written to a pipe, with the length %i, is as long as what it holds',
    async (length) => {
      const path = await written(`pipe-${length}.wav`, wav(S16, short.samples, length));
      expect(Math.abs(((await declared(path)) ?? 0) - SECONDS)).toBeLessThan(0.01);
      expect((await decode(path, LIMIT)).length).toBe(short.samples.length);
    },
  );

  it('an Ogg that was cut out of a broadcast counts from its beginning', async () => {
    const bytes = await readFile(audioFile('short.opus'));
    const from = 100 * 3600 * 48_000;
    for (let at = bytes.indexOf('OggS'); at >= 0; at = bytes.indexOf('OggS', at + 4)) {
      const granule = bytes.readBigUInt64LE(at + 6);
      if (granule > 0n) bytes.writeBigUInt64LE(granule + BigInt(from), at + 6);
    }
    expect(await declared(await written('broadcast.opus', bytes))).toBeLessThan(SECONDS);
  });

  it('is told before the first piece', async () => {
    const told: number[] = [];
    await collect(
      createAudioDecoder().decode(audioFile('short.flac'), {
        maxSeconds: LIMIT,
        onLength: (seconds) => void told.push(seconds),
      }),
    );
    expect(told).toEqual([SECONDS]);
    expect(await createAudioDecoder().declaredSeconds(audioFile('short.flac'))).toBe(SECONDS);
  });
});

describe('FAI-01 a recording that says it is shorter than it is', () => {
  it.each(['long.flac', 'xing.mp3', 'long.opus', 'long.ogg', 'long.webm'])(
    '%s is cut off at the limit all the same',
    async (name) => {
      const path = await written(`short-${name}`, await SAYING[name]!(name === 'long.webm' ? 0.1 : 1));
      await expect(decode(path, name === 'long.webm' ? 0.5 : 2)).rejects.toMatchObject({ code: 'audio_too_long' });
    },
  );

  it('is refused by no header that makes no sense', async () => {
    const bytes = wav(S16);
    bytes.writeUInt32LE(1, 28);
    expect((await decode(await written('slow.wav', bytes), LIMIT)).length).toBe(short.samples.length);
  });
});
