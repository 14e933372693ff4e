import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { joined } from '#server/engine/decode/bytes.ts';
import { FRAMES_WITHIN_BYTES } from '#server/engine/decode/mpeg-frames.ts';
import { findFfmpeg } from '#server/engine/decode/ffmpeg.ts';
import { openStreamDecoder } from '#server/engine/decode/stream.ts';
import type { EngineError, StreamBeginning, StreamDecoder, StreamFormat } from '#server/engine/port.ts';
import type { startWorker } from '#server/platform/workers.ts';
import { matroska, movedOgg, mp4 } from './containers.ts';
import {
  S16,
  audioFile,
  decodeHere,
  folder,
  known,
  laterParts,
  likeness,
  short,
  wav,
  written,
} from './decode-fixtures.ts';

vi.setConfig({ testTimeout: 60_000 });

/** Tells of each thread that starts, and of each that has said its last word on a recording. */
const threads = new EventEmitter<{ started: [Worker]; done: [Worker] }>();
vi.mock('#server/platform/workers.ts', async (original) => {
  const workers = await original<{ startWorker: typeof startWorker }>();
  return {
    ...workers,
    startWorker: (...args: Parameters<typeof workers.startWorker>) => {
      const thread = workers.startWorker(...args);
      thread.on('message', ({ type }: { type: string }) => {
        if (type === 'done') threads.emit('done', thread);
      });
      threads.emit('started', thread);
      return thread;
    },
  };
});

afterEach(() => {
  vi.unstubAllEnvs();
});

interface Heard {
  decoder: StreamDecoder;
  pcm(): Buffer;
  errors: EngineError[];
  began: StreamBeginning[];
}

function listen(format: StreamFormat, hold?: () => Promise<void> | undefined): Heard {
  const pieces: Uint8Array[] = [];
  const errors: EngineError[] = [];
  const began: StreamBeginning[] = [];
  const decoder = openStreamDecoder(format, {
    audio: (pcm) => {
      pieces.push(pcm);
      return hold?.();
    },
    error: (error, what) => {
      errors.push(error);
      began.push(what);
    },
  });
  return { decoder, errors, began, pcm: () => Buffer.concat(pieces) };
}

async function send(decoder: StreamDecoder, bytes: Uint8Array, cut: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += cut)
    if (!decoder.push(bytes.subarray(at, at + cut))) await decoder.drained();
  await decoder.end();
}

/** Sends a whole file, and expects the samples that it has when it is decoded at once. */
async function expectWhole(
  { decoder, pcm, errors }: Heard,
  { bytes, format }: Awaited<ReturnType<typeof known>>,
  cut: number,
): Promise<void> {
  await send(decoder, bytes, cut);
  expect(errors).toEqual([]);
  expect(pcm().equals(s16(await decodeHere([bytes], format)))).toBe(true);
}

const s16 = (samples: Float32Array): Buffer => {
  const bytes = Buffer.alloc(samples.length * 2);
  samples.forEach((sample, index) =>
    bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), index * 2),
  );
  return bytes;
};

describe('a live stream in a container', () => {
  it.each<[string, StreamFormat, number]>([
    ['short.mp3', 'mp3', 417],
    ['short.flac', 'flac', 4000],
    ['short.ogg', 'ogg', 333],
    ['short.opus', 'auto', 1000],
    ['formats/opus.webm', 'webm', 97],
    ['formats/opus.webm', 'auto', 1],
    ['formats/narrow.amr', 'amr', 13],
    ['formats/alaw.aifc', 'aiff', 1001],
    ['formats/vorbis.webm', 'auto', 60_000],
    // The content decides.
    ['short.mp3', 'wav', 5000],
  ])('%s, announced as %s, in pieces of %i bytes', async (name, announced, cut) => {
    await expectWhole(listen(announced), await known(name), cut);
  });

  it('AUD-01, AUD-02: joined to another and with a hole, gives the same as a file', async () => {
    const { bytes, format } = await known('short.opus');
    const moved = await movedOgg(bytes, (page) => (page > 1 ? 7 : 0), 48_000);
    await expectWhole(listen('auto'), { bytes: joined([moved, bytes]), format }, 333);
  });

  it('takes to the thread no more than what came of a larger buffer', async () => {
    const post = vi.spyOn(Worker.prototype, 'postMessage');
    const { bytes, format } = await known('short.opus');
    await expectWhole(listen('auto'), { bytes, format }, 1000);
    const sent = post.mock.calls.flatMap(([message]) => (message as { bytes?: Uint8Array }).bytes ?? []);
    post.mockRestore();
    expect(sent.length).toBeGreaterThan(5);
    expect(sent.filter(({ buffer, byteLength }) => buffer.byteLength > byteLength)).toEqual([]);
  });

  it('loses nothing to a reader that comes to the last pieces after the thread has ended', async () => {
    const flac = await known('short.flac');
    const whole = (await decodeHere([flac.bytes], flac.format)).length * 2;
    const over = once(threads, 'done').then(([thread]: Worker[]) => thread?.terminate());
    // The last frame is given after the end of the bytes.
    const slow = listen('flac', async () => {
      if (slow.pcm().length === whole) await over;
    });
    await expectWhole(slow, flac, 777);
  });

  it('is decoded in the thread of the one before, whatever that was', async () => {
    const ogg = await known('short.ogg');
    const { bytes } = ogg;
    await send(listen('ogg').decoder, bytes, 4000);
    let started = 0;
    const count = (): void => {
      started += 1;
    };
    threads.on('started', count);
    for (const [sent, announced] of [
      [(await known('short.mp3')).bytes, 'mp3'],
      [Buffer.concat([bytes.subarray(0, 6000), Buffer.alloc(6000, 7)]), 'ogg'],
      [bytes.subarray(0, 40), 'ogg'],
    ] as const)
      await send(listen(announced).decoder, sent, 4000);
    await expectWhole(listen('ogg'), ogg, 4000);
    threads.off('started', count);
    expect(started).toBe(0);
  });

  it('does not keep the process alive with its thread afterwards', async () => {
    const script = `
      import { createAudioDecoder } from '#server/engine/decode/audio.ts';
      let samples = 0;
      for await (const piece of createAudioDecoder().decode(${JSON.stringify(audioFile('short.ogg'))}, { maxSeconds: 60 })) samples += piece.length;
      const over = performance.now();
      process.on('exit', () => console.log(JSON.stringify({ samples, ms: performance.now() - over })));`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--no-warnings',
      '--import',
      'tsx',
      '--input-type=module',
      '--eval',
      script,
    ]);
    const { samples, ms } = JSON.parse(stdout) as { samples: number; ms: number };
    expect(samples).toBeGreaterThan(16_000);
    expect(ms).toBeLessThan(10_000);
  });

  it('is not decoded in the thread of one that was left early', async () => {
    const ogg = await known('short.ogg');
    const left = listen('ogg', () => new Promise(() => undefined));
    left.decoder.push(ogg.bytes);
    await expect.poll(() => left.pcm().length).toBeGreaterThan(0);
    left.decoder.close();
    await expectWhole(listen('ogg'), ogg, 4000);
  });

  it('MP3 that is entered in the middle of a frame', async () => {
    const whole = await readFile(audioFile('short.mp3'));
    const { decoder, pcm, errors } = listen('mp3');
    await send(decoder, whole.subarray(1234), 500);
    expect(errors).toEqual([]);
    expect(pcm().length).toBeGreaterThan(short.pcm.length * 0.8);
  });

  it('gives what has come when it settles, before the end', async () => {
    const { bytes } = await known('formats/opus.webm');
    const { decoder, pcm } = listen('auto');
    await decoder.settled();
    decoder.push(bytes.subarray(0, bytes.length >> 1));
    await decoder.settled();
    const half = pcm().length;
    expect(half).toBeGreaterThan(short.pcm.length * 0.35);
    decoder.push(bytes.subarray(bytes.length >> 1));
    await decoder.settled();
    expect(pcm().length).toBeGreaterThan(half);
    await decoder.end();
  });

  it('asks its sender to pause while its reader does not take the audio', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { decoder, pcm, errors } = listen('wav', () => held);
    decoder.push(wav(S16, short.samples, 0).subarray(0, 44));
    let sent = 0;
    while (decoder.push(new Uint8Array(16_000))) {
      sent += 16_000;
      expect(sent).toBeLessThan(2_000_000);
    }
    const drained = decoder.drained();
    release();
    await drained;
    await decoder.end();
    expect(errors).toEqual([]);
    expect(pcm().length).toBe(sent + 16_000);
  });
});

describe('a live stream that cannot be decoded', () => {
  it.each<[string, Uint8Array | string, StreamFormat, RegExp, StreamBeginning]>([
    ['nothing', '', 'auto', /is empty/, 'unknown'],
    ['raw samples', new Uint8Array(5000).fill(0x81), 'auto', /no known audio format/, 'unknown'],
    [
      'a picture announced as MP3',
      Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(5000)]),
      'mp3',
      /looks like a PNG image/,
      'other',
    ],
    [
      'an Ogg page that is not the first, announced as MP3',
      laterParts.Ogg,
      'mp3',
      /beginning of the recording/,
      'other',
    ],
    ['blocks of WebM announced as AAC', laterParts.block, 'aac', /beginning of the recording/, 'other'],
    ['half a header', wav(S16).subarray(0, 30), 'wav', /ends inside its header/, 'audio'],
    [
      'a tag, then no audio',
      Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x10', 'latin1'), Buffer.alloc(16), Buffer.alloc(5000, 0x81)]),
      'auto',
      /no known audio format/,
      'audio',
    ],
  ])('%s', async (_, content, format, message, beginning) => {
    const { decoder, errors, began, pcm } = listen(format);
    await send(decoder, Buffer.from(content), 700);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({
      name: 'EngineError',
      code: 'invalid_audio',
      message: expect.stringMatching(message),
    });
    expect(began).toEqual([beginning]);
    expect(pcm().length).toBe(0);
  });

  it.each<[string, Uint8Array | string, RegExp, StreamFormat?]>([
    ['JSON', '{"error":', /looks like JSON/],
    ['a page', '<html>', /looks like an HTML page/, 'webm'],
    ['text', 'Good morning. '.repeat(5), /looks like text/],
    ['a picture', Buffer.from('89504e470d0a1a0a', 'hex'), /PNG/],
    ['a cluster of WebM', laterParts.cluster.subarray(0, 64), /beginning .* missing.* \(WebM or Matroska\)/],
    ['blocks of WebM', laterParts.block.subarray(0, 64), /beginning .* missing.* \(WebM or Matroska\)/, 'webm'],
    ['an Ogg page that is not the first', laterParts.Ogg.subarray(0, 64), /beginning .* missing.* \(Ogg\)/, 'ogg'],
    ['a fragment of MP4', laterParts.MP4.subarray(0, 64), /beginning .* missing.* \(MP4\)/],
    ['WebM from the middle of a block', laterParts.block.subarray(9), /beginning .* missing.* \(WebM or Matroska\)/],
    [
      'WebM from the middle of a cluster of large blocks',
      Buffer.concat([Buffer.alloc(5000, 0x91), laterParts.cluster.subarray(0, 20)]),
      /beginning .* missing.* \(WebM or Matroska\)/,
    ],
    ['Ogg from the middle of a page', laterParts.Ogg.subarray(9), /beginning .* missing.* \(Ogg\)/, 'ogg'],
    [
      'MP4 from the middle of a fragment',
      Buffer.concat([Buffer.alloc(999, 0x91), laterParts.MP4]),
      /beginning .* missing.* \(MP4\)/,
    ],
    [
      'an MP4 with its index at its end',
      mp4([{ at: 0, samples: short.samples }]).subarray(0, 64),
      /^The index of the MP4 is at its end/,
    ],
  ])(
    'ERR-12: is told what it is instead of a recording by its first bytes: %s',
    async (_, content, message, format) => {
      vi.stubEnv('FFMPEG_PATH', process.execPath);
      const { decoder, errors, began } = listen(format ?? 'auto');
      decoder.push(Buffer.from(content));
      await vi.waitFor(() => expect(errors).toHaveLength(1));
      expect(errors[0]).toMatchObject({ code: 'invalid_audio', message: expect.stringMatching(message) });
      expect(began).toEqual(['other']);
    },
  );

  it.each<[string, string, StreamFormat]>([
    ['few letters', 'Good', 'auto'],
    ['padding of MP3', 'LAME3.100'.padEnd(200, 'U'), 'auto'],
    ['text announced as MP3', 'Good morning. '.repeat(5), 'mp3'],
  ])('waits while more could change it, and tells when asked: %s', async (_, content, format) => {
    const { decoder, errors } = listen(format);
    decoder.push(Buffer.from(content));
    await decoder.settled();
    expect(errors).toEqual([]);
    expect(decoder.doubt()?.message).toBe('The stream is not audio: it looks like text.');
    decoder.close();
  });

  it('is told as soon as it is clear, and takes no more', async () => {
    const { decoder, errors } = listen('auto');
    decoder.push(new Uint8Array(FRAMES_WITHIN_BYTES).fill(0x81));
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    expect(decoder.push(new Uint8Array(1_000_000))).toBe(true);
    await Promise.all([decoder.drained(), decoder.settled(), decoder.end()]);
    expect(errors).toHaveLength(1);
  });

  it('says nothing more once it is closed, also while audio waits to be taken', async () => {
    let taken = 0;
    const { decoder, errors } = listen('wav', () => {
      taken += 1;
      return new Promise(() => undefined);
    });
    decoder.push(wav(S16));
    await vi.waitFor(() => expect(taken).toBe(1), 30_000);
    decoder.close();
    decoder.close();
    await Promise.all([decoder.end(), decoder.settled(), decoder.drained()]);
    expect(errors).toEqual([]);
    expect(taken).toBe(1);
  });

  it('is refused with the name of its format where ffmpeg is missing', async () => {
    vi.stubEnv('PATH', folder);
    vi.stubEnv('FFMPEG_PATH', '');
    const { decoder, errors } = listen('aac');
    await send(decoder, await readFile(audioFile('formats/aac.aac')), 300);
    expect(errors[0]).toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(/^AAC needs ffmpeg/),
    });
  });
});

describe.skipIf(process.platform === 'win32')('a live stream through ffmpeg', () => {
  it.each<[string, StreamFormat, RegExp]>([
    ['wma.wma', 'asf', / -f asf -i pipe:0 -map 0:a:0 /],
    // A decoder of ours has read its header before.
    ['aac.mka', 'auto', / -f matroska -i pipe:0 -map 0:a /],
  ])('AUD-10: is written to its input as it comes, from its first byte: %s', async (name, format, called) => {
    const said = await written('said.mka', matroska([{ at: 0.5, samples: short.samples }]));
    const ffmpeg = await written(
      'speaking',
      `#!/bin/sh\necho "$@" > ${join(folder, 'called')}\n/bin/cat > ${join(folder, 'got')}\nexec /bin/cat ${said}\n`,
    );
    await chmod(ffmpeg, 0o755);
    vi.stubEnv('FFMPEG_PATH', ffmpeg);
    const { decoder, pcm, errors } = listen(format);
    const bytes = await readFile(audioFile(`formats/${name}`));
    await send(decoder, bytes, 1000);
    expect(errors).toEqual([]);
    expect(pcm().length).toBe(short.pcm.length + 16_000);
    expect((await readFile(join(folder, 'got'))).equals(bytes)).toBe(true);
    const line = await readFile(join(folder, 'called'), 'utf8');
    expect(line).toMatch(called);
    expect(line).toContain('-protocol_whitelist pipe ');
  });
});

/** The real one, where the machine has it. */
const installed = await findFfmpeg();
const run = promisify(execFile);

// None where there is none: nothing is skipped.
describe.each(installed === undefined ? [] : [installed])(
  'a live stream through the ffmpeg of this machine',
  (ffmpeg) => {
    const samplesOf = (pcm: Buffer): Float32Array =>
      Float32Array.from({ length: pcm.length >> 1 }, (_, index) => pcm.readInt16LE(index * 2) / 32_768);

    it('AUD-02, AUD-10: of an MP4 has its edit list and its holes', async () => {
      // A second: each of its samples is one of the MP4.
      const samples = short.samples.subarray(8000, 24_000);
      const blocks = [
        { at: 0, samples },
        { at: 8, samples },
      ];
      const { decoder, pcm, errors } = listen('auto');
      await send(decoder, mp4(blocks, { empty: 3, isIndexFirst: true }), 777);
      expect(errors).toEqual([]);
      const heard = samplesOf(pcm());
      expect(heard.subarray(0, 40_000).every((sample) => sample === 0)).toBe(true);
      for (const seconds of [3, 11])
        expect(likeness(samples, heard.subarray(seconds * 16_000), 2000, 14_000)).toBeGreaterThan(0.9);
      expect(Math.abs(heard.length / 16_000 - 11 - samples.length / 16_000)).toBeLessThan(0.2);
    });

    it('AUD-03, AUD-10: of an MP4 has both tracks, and none waits for one that has ended', async () => {
      const path = join(folder, 'two.mp4');
      const tone = ['-f', 'lavfi', '-i', 'sine=800:d=1,volume=0.5', '-f', 'lavfi', '-i', 'sine=440:d=20,volume=0.5'];
      const made = ['-map', '0', '-map', '1', '-c:a', 'aac', '-movflags', '+faststart', '-y', path];
      await run(ffmpeg, ['-nostdin', '-loglevel', 'error', ...tone, ...made]);
      const bytes = await readFile(path);
      const { decoder, pcm, errors } = listen('auto');
      decoder.push(bytes.subarray(0, bytes.length - 1000));
      // All but what comes at the end, and two seconds for the track that has ended.
      await vi.waitFor(() => expect(pcm().length / 32_000).toBeGreaterThan(16), 20_000);
      decoder.push(bytes.subarray(bytes.length - 1000));
      await decoder.end();
      expect(errors).toEqual([]);
      expect(Math.abs(pcm().length / 32_000 - 20)).toBeLessThan(0.2);
      expect(decoder.notes()).toEqual([{ type: 'tracks_mixed', count: 2 }]);
    });

    it('AUD-10: of an MP4 waits for no track that begins late', async () => {
      const path = join(folder, 'late.mp4');
      const from = ['-i', short.path, '-itsoffset', '5', '-i', short.path];
      const made = ['-map', '0', '-map', '1', '-c:a', 'aac', '-movflags', '+faststart', '-y', path];
      await run(ffmpeg, ['-nostdin', '-loglevel', 'error', ...from, ...made]);
      const { decoder, pcm, errors } = listen('auto');
      await send(decoder, await readFile(path), 1000);
      expect(errors).toEqual([]);
      expect(likeness(short.samples, samplesOf(pcm()))).toBeGreaterThan(0.9);
      expect(decoder.notes()).toEqual([{ type: 'tracks_left_out', count: 1 }]);
    });

    it.each(['ac3', 'eac3'])('AUD-11: is known by its first bytes: %s', async (format) => {
      const path = join(folder, `live.${format}`);
      const made = ['-y', '-i', short.path, '-ar', '44100', '-f', format, path];
      await run(ffmpeg, ['-nostdin', '-loglevel', 'error', ...made]);
      const { decoder, pcm, errors } = listen('auto');
      await send(decoder, await readFile(path), 700);
      expect(errors).toEqual([]);
      expect(likeness(short.samples, samplesOf(pcm()))).toBeGreaterThan(0.9);
    });
  },
);
