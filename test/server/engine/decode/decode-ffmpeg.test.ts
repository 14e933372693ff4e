import { chmod, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { decodeWithFfmpeg, findFfmpeg } from '#server/engine/decode/ffmpeg.ts';
import { matroska } from './containers.ts';
import { audioFile, collect, decode, folder, likeness, short, written } from './decode-fixtures.ts';

vi.setConfig({ testTimeout: 60_000 });

afterEach(() => {
  vi.unstubAllEnvs();
});

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

  it('is found by FFMPEG_PATH first', async () => {
    const path = await pretend('exit 0');
    expect(await findFfmpeg({ PATH: '/nowhere', FFMPEG_PATH: path })).toBe(path);
    expect(await findFfmpeg({ PATH: folder, FFMPEG_PATH: join(folder, 'missing') })).toBe(path);
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
      for await (const piece of decodeWithFfmpeg(ffmpeg, { path: 'x' }, 'mp4', abort.signal))
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

  it('refuses an MP4 that is cut short', async () => {
    const whole = await readFile(audioFile('formats/aac.m4a'));
    await expect(decode(await written('half.m4a', whole.subarray(0, 600)))).rejects.toMatchObject({
      code: 'invalid_audio',
    });
  });
});
