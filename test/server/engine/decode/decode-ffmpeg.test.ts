import { execFile } from 'node:child_process';
import { appendFile, chmod, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { decodeWithFfmpeg, findFfmpeg } from '#server/engine/decode/ffmpeg.ts';
import { createAudioDecoder } from '#server/engine/decode/audio.ts';
import { openStreamDecoder } from '#server/engine/decode/stream.ts';
import type { RecordingNote } from '#server/engine/port.ts';
import { matroska, mp4 } from './containers.ts';
import { S16, audioFile, collect, decode, folder, likeness, short, wav, wavPack, written } from './decode-fixtures.ts';

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => {
  vi.unstubAllEnvs();
});

/** The head of an AVI, longer than what is looked at for frames of its own. */
const AVI = Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI LIST\0', 'latin1')], 5000);

/** Leaves nothing on PATH but what a test puts there. */
function onlyHere(): void {
  vi.stubEnv('PATH', folder);
  vi.stubEnv('FFMPEG_PATH', '');
}

describe('without ffmpeg', () => {
  it.each([
    ['aac.m4a', /^MP4 with AAC audio needs ffmpeg: install/],
    ['aac.aac', /^AAC needs ffmpeg: install/],
    ['aac.mka', /^WebM or Matroska with AAC audio needs ffmpeg: install/],
    ['wma.wma', /^Windows Media \(wma, asf\) needs ffmpeg: install/],
  ])('%s is refused with its name and what to install', async (name, message) => {
    onlyHere();
    await rm(join(folder, 'ffmpeg'), { force: true });
    await expect(decode(audioFile(`formats/${name}`))).rejects.toMatchObject({
      code: 'unsupported_format',
      message: expect.stringMatching(message),
    });
  });
});

describe.skipIf(process.platform === 'win32')('ffmpeg', () => {
  /** Stands in for ffmpeg: writes down how it was called and does what the test says. */
  async function pretend(body: string): Promise<string> {
    const path = await written('ffmpeg', `#!/bin/sh\necho "$@" > ${join(folder, 'called')}\n${body}\n`);
    await chmod(path, 0o755);
    return path;
  }

  const said = (): Promise<string> => written('said', matroska([{ at: 0, samples: short.samples }]));
  const speak = async (): Promise<string> => pretend(`exec /bin/cat ${await said()}`);

  it('decodes what is not built in, without the network or its terminal, and within limits', async () => {
    await speak();
    onlyHere();
    expect((await decode(audioFile('formats/aac.m4a'))).length).toBe(short.samples.length);
    const called = await readFile(join(folder, 'called'), 'utf8');
    for (const part of [
      '-nostdin',
      '-timelimit',
      '-max_alloc',
      '-protocol_whitelist file,pipe -f mov -i file:',
      '-map 0:a -vn',
      '-copyts',
    ])
      expect(called).toContain(part);
  });

  it('decodes the codecs that are not built in inside a format that is', async () => {
    await speak();
    onlyHere();
    expect((await decode(audioFile('formats/aac.mka'))).length).toBe(short.samples.length);
    expect(await readFile(join(folder, 'called'), 'utf8')).toContain('-f matroska');
  });

  const TRANSPORT_STREAM = Buffer.alloc(188 * 8, 0x81);
  for (let at = 50; at < TRANSPORT_STREAM.length; at += 188) TRANSPORT_STREAM[at] = 0x47;
  const HEADERLESS = Buffer.alloc(300_000, 0x81);
  const VIDEOS: [string, Buffer][] = [
    ['An AVI video', Buffer.from('RIFF\0\0\0\0AVI LIST\0', 'latin1')],
    ['A Flash video', Buffer.from('FLV\x01\x05', 'latin1')],
    ['An MPEG video', Buffer.from([0, 0, 1, 0xba, 0x44])],
    ['An MPEG transport stream', TRANSPORT_STREAM],
  ];

  it.each([...VIDEOS, ['what looks like nothing known', HEADERLESS] as const])(
    'AUD-05: gets %s through a pipe, and opens nothing else',
    async (_, content) => {
      const got = join(folder, 'got');
      await pretend(`/bin/cat > ${got}\nexec /bin/cat ${await said()}`);
      onlyHere();
      const path = await written('unknown.bin', content);
      expect((await decode(path)).length).toBe(short.samples.length);
      expect((await readFile(got)).equals(content)).toBe(true);
      const called = await readFile(join(folder, 'called'), 'utf8');
      const [, formats = ''] =
        / -protocol_whitelist pipe -format_whitelist (\S+) -itsoffset 0.00001 -i pipe:0 /.exec(called) ?? [];
      expect(formats.split(',')).toEqual(expect.arrayContaining(['avi', 'mpegts', 'wv']));
      // These open what the bytes name.
      expect(formats).not.toMatch(/\b(?:concat|dash|hls|imf|image2\w*|lavfi|rtsp|sdp|webm_dash_manifest)\b|_pipe/);
      expect(called).not.toContain(path);
    },
  );

  it('AUD-05: what it does not know either is refused as where there is none, a video as a video', async () => {
    await pretend('echo "pipe:0: Invalid data found when processing input" >&2; exit 1');
    onlyHere();
    await expect(decode(await written('junk.bin', HEADERLESS))).rejects.toMatchObject({
      code: 'invalid_audio',
      message: 'The file is of no known audio format.',
    });
    await expect(decode(await written('broken.avi', VIDEOS[0]![1]))).rejects.toThrow('The audio is damaged');
    await pretend('exit 0');
    await expect(decode(await written('junk.bin', HEADERLESS))).rejects.toThrow(/no known audio format/);
    await expect(decode(await written('silent.avi', VIDEOS[0]![1]))).rejects.toThrow(/an AVI video\) holds no audio/);
    await rm(join(folder, 'ffmpeg'));
    for (const [name, content] of VIDEOS)
      await expect(decode(await written('video.bin', content))).rejects.toMatchObject({
        code: 'unsupported_format',
        message: expect.stringMatching(`^${name} needs ffmpeg: install`),
      });
  });

  it('AUD-05: is not started for a picture or text', async () => {
    await speak();
    onlyHere();
    await rm(join(folder, 'called'), { force: true });
    for (const content of ['#EXTM3U\n/etc/passwd\n', Buffer.from('89504e470d0a1a0a0000', 'hex')])
      await expect(decode(await written('no-audio', content))).rejects.toThrow(/looks like (?:text|a PNG image)/);
    await expect(readFile(join(folder, 'called'))).rejects.toThrow('ENOENT');
  });

  it('AUD-20: gets the frames of AAC through a pipe, within limits', async () => {
    const got = join(folder, 'got');
    await pretend(`/bin/cat > ${got}\nexec /bin/cat ${await said()}`);
    onlyHere();
    const aac = await readFile(audioFile('formats/aac.aac'));
    expect((await decode(await written('late.aac', Buffer.concat([Buffer.alloc(5000), aac])))).length).toBe(
      short.samples.length,
    );
    expect((await readFile(got)).equals(aac)).toBe(true);
    const called = await readFile(join(folder, 'called'), 'utf8');
    for (const part of ['-timelimit', '-max_alloc', '-protocol_whitelist pipe -f aac -i pipe:0 -map 0:a '])
      expect(called).toContain(part);
  });

  it('AUD-20: is ended with the reading of AAC', async () => {
    const pipes = (): number => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length;
    const before = pipes();
    const pid = join(folder, 'aac-pid');
    await pretend(`echo $$ > ${pid}; /bin/cat ${await said()}; while :; do echo xxxxxxxxxxxxxxxx; done`);
    onlyHere();
    for await (const piece of createAudioDecoder().decode(audioFile('formats/aac.aac'), { maxSeconds: 60 }))
      if (piece.length > 0) break;
    const left = Number(await readFile(pid, 'utf8'));
    // Nor is anything left to be waited for.
    await vi.waitFor(() => expect(() => process.kill(left, 0)).toThrow('ESRCH'));
    await vi.waitFor(() => expect(pipes()).toBe(before));
  });

  it('is what FFMPEG_PATH names, else on the PATH', async () => {
    const path = await pretend('exit 0');
    expect(await findFfmpeg({ PATH: '/nowhere', FFMPEG_PATH: path })).toBe(path);
    expect(await findFfmpeg({ PATH: folder, FFMPEG_PATH: join(folder, 'missing') })).toBeUndefined();
    expect(await findFfmpeg({ PATH: folder })).toBe(path);
    expect(await findFfmpeg({ PATH: '/nowhere' })).toBeUndefined();
  });

  it.each([
    ['moov atom not found', /index is missing/],
    ['Output file #0 does not contain any stream', /no audio track/],
    ["Stream map '0:a' matches no streams.", /no audio track/],
    ['Decoder (codec wmavoice) not found for input stream #0:0', /cannot decode/],
    ['x.asf: Invalid data found when processing input', /damaged/],
  ])('that says "%s" gives a clear sentence', async (complaint, message) => {
    const ffmpeg = await pretend(`echo "${complaint}" >&2; exit 1`);
    await expect(collect(decodeWithFfmpeg(ffmpeg, { path: 'x' }, 'mp4'))).rejects.toMatchObject({
      code: 'invalid_audio',
      message: expect.stringMatching(message),
    });
  });

  it('AUD-03: gives the first track where one of the others cannot be decoded', async () => {
    const whole = `*"-map 0:a:0"*) /bin/cat ${await said()};; *) echo "Decoder (codec none) not found for input stream #0:1" >&2; exit 1`;
    await pretend(`case "$*" in ${whole};; esac`);
    onlyHere();
    expect((await decode(audioFile('formats/wma.wma'))).length).toBe(short.samples.length);
  });

  it.each([
    ['aac.m4a', 'Error while opening decoder for input stream #0:0'],
    ['wma.wma', 'Invalid data found when processing input'],
    ['wma.wma', "Stream map '0:a:0' matches no streams."],
  ])('AUD-19: is asked for single tracks only where there are several: %s, %s', async (name, complaint) => {
    const runs = await written('runs', '');
    await pretend(`echo run >> ${runs}; echo "${complaint}" >&2; exit 1`);
    onlyHere();
    await expect(decode(audioFile(`formats/${name}`))).rejects.toMatchObject({ code: 'invalid_audio' });
    expect(await readFile(runs, 'utf8')).toBe('run\n');
  });

  it('AUD-23: reads each MP4 of a file by itself, and what is behind them', async () => {
    const calls = await written('calls', '');
    await pretend(`echo "$@" >> ${calls}; exec /bin/cat ${await said()}`);
    onlyHere();
    const m4a = await readFile(audioFile('formats/aac.m4a'));
    const two = m4a.length * 2;
    const bytes = Buffer.concat([m4a, m4a, await readFile(audioFile('short.mp3'))]);
    const path = await written('joined.m4a', bytes);
    let told: readonly RecordingNote[] = [];
    let length = 0;
    const options = {
      maxSeconds: 60,
      onNotes: (notes: readonly RecordingNote[]): void => void (told = notes),
      onLength: (seconds: number): void => void (length = seconds),
    };
    const samples = await collect(createAudioDecoder().decode(path, options));
    expect(samples.length).toBeGreaterThan(2.9 * short.samples.length);
    expect(told).toEqual([{ type: 'parts_joined', count: 3 }]);
    const whitelist = '-protocol_whitelist file,pipe,subfile -f mov';
    expect(
      (await readFile(calls, 'utf8')).split('\n').map((call) => / (-protocol_whitelist .*) -map/.exec(call)?.[1]),
    ).toEqual([
      `${whitelist} -i subfile,,start,0,end,${m4a.length},,:file:${path}`,
      `${whitelist} -i subfile,,start,${m4a.length},end,${two},,:file:${path}`,
      undefined,
    ]);
    // The MP3 does not say how long it is.
    expect(length).toBe(0);
    const onlyMp4 = await written('two.m4a', bytes.subarray(0, two));
    await collect(createAudioDecoder().decode(onlyMp4, options));
    expect(Math.abs(length - 2)).toBeLessThan(0.3);
  });

  it('AUD-25: reads no more than its own of a large file, and what is joined behind is heard', async () => {
    const wma = await readFile(audioFile('formats/wma.wma'));
    await speak();
    onlyHere();
    const path = await written('large.wma', wma);
    const own = 2 ** 26 + wma.length;
    // All but its two ends is a hole.
    await truncate(path, own);
    await appendFile(path, await readFile(short.path));
    expect((await decode(path)).length).toBe(2 * short.samples.length);
    expect(await readFile(join(folder, 'called'), 'utf8')).toContain(`-i subfile,,start,0,end,${own},,:file:${path}`);
  });

  const row = (size: number, ...head: number[]): Buffer =>
    Buffer.alloc(20 * size, Buffer.concat([Buffer.of(...head)], size));
  const AC3 = row(256, 0x0b, 0x77, 0, 0, 8, 0x40);
  const MP3 = row(288, 0xff, 0xfb, 0x74, 0xc4);
  const PACKETS = Buffer.concat([row(188, 0x47, 0, 0, 0x10), row(188, 0x47, 0, 0, 0x10)]);
  const LEFT_OUT = [{ type: 'parts_left_out', count: 1 }];
  const SPOKEN = Buffer.from(wav(S16));
  const JOINED = [{ type: 'parts_joined', count: 2 }, ...LEFT_OUT];
  /** Its last bytes are missing, more than what stands behind it. */
  const CUT = mp4([{ at: 0, samples: short.samples }], { isIndexFirst: true }).subarray(0, -9000);

  it.each<[string, Buffer | Uint8Array, Buffer[], RecordingNote[] | object[]]>([
    ['MP3', AVI, [MP3], LEFT_OUT],
    ['MP3 with a tag', AVI, [MP3, Buffer.alloc(128, 'TAG')], LEFT_OUT],
    ['AC-3 that was cut', AVI, [AC3.subarray(0, -9)], LEFT_OUT],
    ['a transport stream', AVI, [PACKETS], LEFT_OUT],
    ['MP3 behind an MP4 cut in its sound', CUT, [MP3], LEFT_OUT],
    ['MP3 behind AC-3', AC3, [MP3], LEFT_OUT],
    [
      'more AC-3 than is looked at',
      Buffer.concat([AVI, Buffer.alloc(9000)]),
      new Array<Buffer>(14).fill(AC3),
      LEFT_OUT,
    ],
    ['MP3 before another recording', AVI, [MP3, SPOKEN], JOINED],
    ['no more than a block of MP3', AVI, [MP3.subarray(0, 9 * 288)], []],
    ['MP3 before an index', AVI, [MP3, Buffer.alloc(99)], []],
    ['its own frames', AC3, [AC3], []],
    ['its own frames in WAV', wav({ ...S16, tag: 0x2000 }, new Float32Array(0)), [AC3], []],
  ])('AUD-25: tells of %s in a file', async (_what, own, behind, notes) => {
    await speak();
    onlyHere();
    let told: readonly RecordingNote[] = [];
    const path = await written('tail.bin', Buffer.concat([own, ...behind]));
    await collect(createAudioDecoder().decode(path, { maxSeconds: 60, onNotes: (all) => void (told = all) }));
    expect(told).toEqual(notes);
  });

  it.each<[string, Uint8Array, Buffer, object[]]>([
    ['AC-3', AC3, MP3, LEFT_OUT],
    ['AC-3, before another recording', AC3, Buffer.concat([MP3, SPOKEN]), JOINED],
    ['an MP4 cut in its sound', CUT, MP3, LEFT_OUT],
    ['no other', AC3, AC3, []],
  ])('AUD-25: tells of MP3 that comes live behind %s', async (_what, own, behind, notes) => {
    await speak();
    onlyHere();
    let failure: unknown = null;
    const events = { audio: async () => {}, error: (error: unknown) => void (failure = error) };
    const stream = openStreamDecoder('auto', events);
    const bytes = Buffer.concat([own, behind]);
    for (let from = 0; from < bytes.length; from += 999) stream.push(bytes.subarray(from, from + 999));
    await stream.end();
    expect(failure).toBeNull();
    expect(stream.notes()).toEqual(notes);
  });

  it('AUD-25: a WAV behind a video is heard, one inside WavPack is not', async () => {
    await speak();
    onlyHere();
    const spoken = await readFile(short.path);
    expect((await decode(await written('joined.avi', Buffer.concat([AVI, spoken])))).length).toBe(
      2 * short.samples.length,
    );
    expect((await decode(await written('head.wv', Buffer.concat([Buffer.from('wvpk'), spoken])))).length).toBe(
      short.samples.length,
    );
  });

  it('AUD-25: MP3 behind WavPack is heard', async () => {
    await speak();
    onlyHere();
    const mp3 = await readFile(audioFile('short.mp3'));
    const alone = (await decode(await written('alone.mp3', mp3))).length;
    const joined = await decode(await written('joined.wv', Buffer.concat([wavPack, Buffer.alloc(99), mp3])));
    expect(joined.length).toBe(short.samples.length + alone);
  });

  it('that fails after some audio has given that audio', async () => {
    const ffmpeg = await pretend(`/bin/cat ${await said()}; exit 1`);
    expect((await collect(decodeWithFfmpeg(ffmpeg, { path: 'x' }, 'mp4'))).length).toBe(short.samples.length);
  });

  it('that cannot be started makes the format unsupported', async () => {
    await expect(collect(decodeWithFfmpeg(join(folder, 'nothing-here'), { path: 'x' }, 'mp4'))).rejects.toMatchObject({
      code: 'unsupported_format',
    });
  });

  it('is ended when the decoding is cancelled', async () => {
    const ffmpeg = await pretend(
      `echo $$ > ${join(folder, 'pid')}; /bin/cat ${await said()}; while :; do echo xxxxxxxxxxxxxxxx; done`,
    );
    const abort = new AbortController();
    const reading = (async () => {
      for await (const piece of decodeWithFfmpeg(ffmpeg, { path: 'x' }, 'mp4', { signal: abort.signal }))
        if (piece.length > 0) abort.abort();
    })();
    await expect(reading).rejects.toMatchObject({ code: 'aborted' });
    const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
  });
});

/** The real one, where the machine has it. */
const installed = await findFfmpeg();

// None where there is none: nothing is skipped.
describe.each(installed === undefined ? [] : [installed])('the ffmpeg of this machine', () => {
  it.each(['aac.m4a', 'aac.aac', 'aac.mka', 'wma.wma'])('decodes %s', async (name) => {
    const samples = await decode(audioFile(`formats/${name}`));
    expect(Math.abs(samples.length - 16_000)).toBeLessThan(4000);
    expect(likeness(short.samples.subarray(8000), samples, 2000, 12_000)).toBeGreaterThan(0.9);
  });

  it.each(['avi', 'flv', 'mpegts', 'vob', 'wv', 'nut', 'tta', 'ac3', 'eac3'])(
    'AUD-05: takes the sound of %s',
    async (format) => {
      const path = join(folder, `made.${format}`);
      const make = ['-y', '-i', short.path, '-ar', '44100', '-f', format, path];
      await promisify(execFile)(installed ?? '', ['-nostdin', '-loglevel', 'error', ...make]);
      expect(likeness(short.samples, await decode(path))).toBeGreaterThan(0.9);
    },
  );

  it.each(['mpegts', 'vob', 'flv'])('AUD-02: keeps a hole of 20 s in %s', async (format) => {
    const path = join(folder, `hole.${format}`);
    const filter = "aselect='lt(t,1)+gt(t,21)'";
    const make = ['-f', 'lavfi', '-i', 'sine=440:d=22', '-af', filter, '-ar', '44100', '-y', '-f', format, path];
    await promisify(execFile)(installed ?? '', ['-nostdin', '-loglevel', 'error', ...make]);
    const samples = await decode(path);
    expect(Math.abs(samples.length / 16_000 - 22)).toBeLessThan(0.2);
    expect(samples.subarray(2 * 16_000, 20 * 16_000).every((sample) => sample === 0)).toBe(true);
  });

  it.each(['mpegts', 'vob'])('AUD-02: hears in %s when the sound begins behind the picture', async (format) => {
    const path = join(folder, `late.${format}`);
    const video = ['-f', 'lavfi', '-i', 'testsrc=s=32x32:r=10:d=6', '-itsoffset', '3', '-i', short.path];
    const make = [...video, '-map', '0', '-map', '1', '-c:v', 'mpeg2video', '-ar', '44100', '-y', '-f', format, path];
    await promisify(execFile)(installed ?? '', ['-nostdin', '-loglevel', 'error', ...make]);
    const samples = await decode(path);
    expect(Math.abs(samples.length / 16_000 - 3 - short.samples.length / 16_000)).toBeLessThan(0.2);
    expect(likeness(short.samples, samples.subarray(3 * 16_000))).toBeGreaterThan(0.9);
  });

  it('AUD-04: finds the first frame of AAC', async () => {
    const late = Buffer.concat([Buffer.alloc(50_000, 0x81), await readFile(audioFile('formats/aac.aac'))]);
    const samples = await decode(await written('late.aac', late));
    expect(likeness(short.samples.subarray(8000), samples, 2000, 12_000)).toBeGreaterThan(0.9);
  });

  it('refuses an MP4 that is cut short', async () => {
    const whole = await readFile(audioFile('formats/aac.m4a'));
    await expect(decode(await written('half.m4a', whole.subarray(0, 600)))).rejects.toMatchObject({
      code: 'invalid_audio',
    });
  });
});
