import { readFile } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sniffFormat } from '#server/engine/decode/audio-format.ts';
import { createAudioDecoder } from '#server/engine/decode/audio.ts';
import { clip } from '#test/audio/clips.ts';
import {
  S16,
  WAV_FORMATS,
  audioFile,
  collect,
  decode,
  decodeHere,
  expectSecond,
  folder,
  interleaved,
  known,
  likeness,
  rf64,
  laterParts,
  short,
  wav,
  wave64,
  written,
} from './decode-fixtures.ts';
import type { WavFormat } from './decode-fixtures.ts';

// Every decoding starts a thread: on a machine that does other work too, it may take its time.
vi.setConfig({ testTimeout: 60_000 });

const farthest = (samples: Float32Array): number =>
  samples.reduce((top, sample, index) => Math.max(top, Math.abs(sample - (short.samples[index] ?? 0))), 0);

describe('WAV and its relatives', () => {
  it.each(Object.keys(WAV_FORMATS))('%s gives the samples that are in it', async (name) => {
    const samples = await decodeHere([wav(WAV_FORMATS[name] ?? S16)], 'wav');
    expect(samples.length).toBe(short.samples.length);
    expect(farthest(samples)).toBeLessThan(name === 'u8' ? 0.01 : 0.0001);
  });

  it.each([
    ['A-law', 6, 0xd5],
    ['µ-law', 7, 0xff],
  ])('%s is expanded', async (_, tag, silence) => {
    const format: WavFormat = {
      tag,
      bits: 8,
      write: (view, at, sample) => view.setUint8(at, sample === 0 ? silence : 0x2a),
    };
    const samples = await decodeHere([wav(format, Float32Array.of(0, 0, 1, 1))], 'wav');
    expect(Math.abs(samples[0] ?? 1)).toBeLessThan(0.001);
    expect(Math.abs(samples[2] ?? 0)).toBeGreaterThan(0.1);
  });

  it('RF64 and Wave64 hold the same', async () => {
    expect(farthest(await decode(await written('long.wav', rf64(interleaved(S16)))))).toBeLessThan(0.0001);
    expect(farthest(await decode(await written('long.w64', wave64(interleaved(S16)))))).toBeLessThan(0.0001);
  });

  it('chunks before the audio are passed over', async () => {
    const whole = wav(S16);
    const noted = Buffer.concat([
      whole.subarray(0, 12),
      Buffer.from('LIST\x05\0\0\0hello\0', 'latin1'),
      whole.subarray(12),
    ]);
    expect(farthest(await decodeHere([noted], 'wav'))).toBeLessThan(0.0001);
  });

  it('what stands after the audio is not taken for audio', async () => {
    const tagged = Buffer.concat([wav(S16), Buffer.from('LIST\x04\0\0\0abcd', 'latin1')]);
    expect((await decodeHere([tagged], 'wav')).length).toBe(short.samples.length);
  });

  it('of several channels is mixed, and of another rate resampled', async () => {
    const samples = await decodeHere([wav({ ...S16, channels: 2, rate: 32_000 })], 'wav');
    expect(samples.length).toBe(Math.ceil(short.samples.length / 2));
    const peak = (values: Float32Array): number => values.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
    expect(peak(samples) / peak(short.samples)).toBeGreaterThan(0.4);
    expect(peak(samples) / peak(short.samples)).toBeLessThan(0.55);
  });

  it('cut short gives what it holds', async () => {
    expect((await decodeHere([wav(S16).subarray(0, 44 + 32_001)], 'wav')).length).toBe(16_000);
  });

  it('floats that are no numbers become silence, and too loud ones are clipped', async () => {
    const samples = await decodeHere(
      [wav(WAV_FORMATS['f32'] ?? S16, Float32Array.of(Number.NaN, Infinity, -7, 0.5))],
      'wav',
    );
    expect([...samples]).toEqual([0, 1, -1, 0.5]);
  });
});

describe('every format that is built in', () => {
  it.each(['short.mp3', 'short.ogg', 'short.opus', 'formats/opus.webm', 'formats/narrow.amr'])(
    '%s sounds like its original',
    async (name) => {
      const samples = await decode(audioFile(name));
      expect(Math.abs(samples.length - short.samples.length)).toBeLessThan(2400);
      // The phone's codec keeps the words, not the shape of the wave.
      expect(likeness(short.samples, samples)).toBeGreaterThan(name.endsWith('amr') ? 0.6 : 0.9);
    },
  );

  it.each(['alaw.aifc', 'pcm.aiff', 'mulaw.caf', 'adpcm-ima.wav', 'adpcm-ms.wav', 'pcm.mka'])(
    '%s holds the second from 0.5 s on',
    async (name) => expectSecond(await decode(audioFile(`formats/${name}`))),
  );

  it('FLAC is exact, to its last sample', async () => {
    const samples = await decode(audioFile('short.flac'));
    expect(samples.length).toBe(short.samples.length);
    expect(farthest(samples)).toBeLessThan(0.0001);
  });

  it('a tag with a picture in front of the audio is passed over', async () => {
    const tag = Buffer.alloc(200_010, 'picture');
    Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 200_000 >> 14, (200_000 >> 7) & 0x7f, 200_000 & 0x7f]).copy(tag);
    for (const name of ['short.mp3', 'short.flac']) {
      const samples = await decode(
        await written(`tagged-${name}`, Buffer.concat([tag, await readFile(audioFile(name))])),
      );
      expect(likeness(short.samples, samples)).toBeGreaterThan(0.9);
    }
  });

  it.each(['short.mp3', 'short.flac', 'short.ogg', 'short.opus', 'formats/opus.webm', 'formats/narrow.amr'])(
    '%s cut short gives what it holds',
    async (name) => {
      const { bytes, format } = await known(name);
      const samples = await decodeHere([bytes.subarray(0, bytes.length >> 1)], format);
      expect(samples.length).toBeGreaterThan(16_000);
      expect(samples.length).toBeLessThan(64_000);
    },
  );

  it.each(['short.mp3', 'short.flac', 'short.ogg', 'short.opus', 'formats/opus.webm'])(
    '%s goes on after damage in its middle',
    async (name) => {
      const { bytes, format } = await known(name);
      const damaged = bytes.slice().fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 300);
      const samples = await decodeHere([damaged], format);
      expect(samples.length).toBeGreaterThan(short.samples.length * 0.6);
      expect(samples.every((sample) => sample >= -1 && sample <= 1)).toBe(true);
    },
  );
});

describe('what cannot be decoded says why', () => {
  const cases: [string, Uint8Array | string, RegExp][] = [
    ['empty', '', /is empty/],
    ['text', 'This is only text.\n'.repeat(100), /looks like text/],
    ['a page', '<!DOCTYPE html><html><body>404</body></html>', /looks like an HTML page/],
    ['JSON', '{"error":"not found"}', /looks like JSON/],
    ['XML', '<?xml version="1.0"?><Error/>', /looks like an XML document/],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /looks like a PNG image/],
    ['a document', '%PDF-1.7\n%\xe2\xe3', /looks like a PDF document/],
    ['an archive', Buffer.from('504b0304140000000800', 'hex'), /looks like a ZIP archive/],
    ['junk', Buffer.from('c3a51e9900f1027781fe42ab', 'hex').fill(0x81, 8), /no known audio format/],
    ['zeros', Buffer.alloc(5000), /no known audio format/],
    ['only a tag', Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x05'), Buffer.alloc(5)]), /no known audio format/],
    ['WAV cut inside its header', wav(S16).subarray(0, 30), /WAV audio ends inside its header/],
    ['WAV without samples', wav(S16).subarray(0, 44), /holds no audio/],
    ['WAV without channels', wav({ ...S16, channels: 0 }), /claims 0 channels/],
    ['WAV of 255 channels', wav({ ...S16, channels: 255 }, short.samples.subarray(0, 100)), /claims 255 channels/],
    ['WAV of 0 Hz', wav({ ...S16, rate: 0 }), /sample rate of 0 Hz/],
    ['WAV of 10^9 Hz', wav({ ...S16, rate: 1_000_000_000 }), /sample rate of 1000000000 Hz/],
    ['WAV of 5 bits in 2 bytes', wav({ ...S16, tag: 3 }), /samples of 16 bits/],
    [
      'ADPCM with blocks that hold more than they can',
      Buffer.concat([wav({ ...S16, tag: 0x11, bits: 16 }).subarray(0, 36), Buffer.from('data\0\0\0\0')]),
      /ADPCM blocks/,
    ],
    ['FLAC with a header only', 'fLaC\x80\0\0\x22', /holds no audio|damaged/],
    ['Ogg without audio', `OggS\0\x02${'\0'.repeat(20)}\x01\x13OpusHead\x01\x01`, /holds no audio|damaged/],
    ['WebM cut inside its header', Buffer.from('1a45dfa39f4286810142f7810142', 'hex'), /ends inside its header/],
    ['AMR without frames', '#!AMR\n', /holds no audio/],
    ['a cluster of WebM', laterParts.cluster, /beginning .* missing: the file starts .* \(WebM or Matroska\)/],
    ['blocks of WebM', laterParts.block, /beginning .* missing.* \(WebM or Matroska\)/],
    ['an Ogg page that is not the first', laterParts.Ogg, /beginning .* missing.* \(Ogg\)/],
    ['a fragment of MP4', laterParts.MP4, /beginning .* missing.* \(MP4\)/],
    [
      'Ogg from the middle of a page, past the first bytes',
      Buffer.concat([Buffer.alloc(30_000, 0x91), laterParts.Ogg]),
      /beginning .* missing.* \(Ogg\)/,
    ],
    ['MP4 without its index', '\0\0\0\x14ftypisom\0\0\0\0isom', /MP4.*cut short or damaged/],
  ];
  it.each(cases)('%s', async (name, content, message) => {
    await expect(decode(await written(`${name.replace(/\W/g, '-')}.mp3`, content))).rejects.toMatchObject({
      name: 'EngineError',
      code: 'invalid_audio',
      message: expect.stringMatching(message),
    });
  });

  it.each([
    ['silent-video.mp4', /no audio track/],
    ['silent-video.webm', /no audio track/],
    ['encrypted.mp4', /encrypted/],
  ])('%s', async (name, message) => {
    await expect(decode(audioFile(`formats/${name}`))).rejects.toMatchObject({
      code: 'invalid_audio',
      message: expect.stringMatching(message),
    });
  });

  it('a missing file', async () => {
    await expect(decode(join(folder, 'none.wav'))).rejects.toThrow('ENOENT');
  });

  it('longer than allowed, also where few bytes unpack to hours', async () => {
    await expect(decode(short.path, 2)).rejects.toMatchObject({ code: 'audio_too_long' });
    // Frames of one byte, each 20 ms long.
    const bomb = await written('bomb.amr', Buffer.concat([Buffer.from('#!AMR\n'), Buffer.alloc(2_000_000, 0x7c)]));
    await expect(decode(bomb, 60)).rejects.toMatchObject({ code: 'audio_too_long' });
  });

  it('cancelled in the middle leaves at once, and no descriptor open', async () => {
    // Where the system does not tell, there is nothing to compare.
    const open = (): number => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);
    const before = open();
    const abort = new AbortController();
    const pieces = createAudioDecoder()
      .decode(clip('meeting-notes.wav').path, { maxSeconds: 60, signal: abort.signal })
      [Symbol.asyncIterator]();
    await pieces.next();
    abort.abort();
    const rest = async (): Promise<void> => {
      while ((await pieces.next()).done !== true);
    };
    await expect(rest()).rejects.toMatchObject({ code: 'aborted' });
    await expect(
      collect(createAudioDecoder().decode(short.path, { maxSeconds: 60, signal: AbortSignal.abort() })),
    ).rejects.toMatchObject({ code: 'aborted' });
    await vi.waitFor(() => expect(open()).toBeLessThanOrEqual(before));
  });
});

describe('formats are told by content', () => {
  it.each<[string, string | null, readonly number[] | string]>([
    ['an MP3 after zeros', 'mp3', [0, 0, 0, 0xff, 0xfb, 0x90, 0x00]],
    ['another Ogg codec', 'ogg', `OggS\0\x02${'\0'.repeat(20)}\x01\x50Speex   `],
    ['a later page of Ogg', null, `OggS${'\0'.repeat(22)}\x01\x50Speex   `],
    ['set bits only', null, [0xff, 0xff, 0xff, 0xff]],
  ])('%s', (_, format, head) => {
    expect(sniffFormat(typeof head === 'string' ? Buffer.from(head, 'latin1') : Uint8Array.from(head))).toBe(format);
  });
});
