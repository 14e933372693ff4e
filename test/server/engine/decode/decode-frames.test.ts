import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openStreamDecoder } from '#server/engine/decode/stream.ts';
import { findFrames, frameAt } from '#server/engine/decode/mpeg-frames.ts';
import { audioFile, decode, folder, likeness, short, written } from './decode-fixtures.ts';

vi.setConfig({ testTimeout: 60_000 });

const mp3 = new Uint8Array(await readFile(audioFile('short.mp3')));
const aac = new Uint8Array(await readFile(audioFile('formats/aac.aac')));

/** What looks like the inside of a picture: no header of a frame, and no text. */
const picture = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, index) => (index * 89) & 0x7f));
const tag = (says: number, holds: number): Buffer => {
  const bytes = Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), Buffer.alloc(4), picture(holds)]);
  for (let digit = 0; digit < 4; digit += 1) bytes[6 + digit] = (says >> (7 * (3 - digit))) & 0x7f;
  return bytes;
};

const BEFORE: Record<string, Uint8Array> = {
  'padding with zeros': new Uint8Array(60_000),
  'half a tag': picture(50_000),
  'a tag that says more than the file holds': tag(2_000_000, 3000),
  'a tag that says more than it holds': tag(5003, 3000),
  'a whole tag, then what is no audio': Buffer.concat([tag(3000, 3000), picture(5000)]),
  'the end of a frame': mp3.subarray(mp3.length - 101),
};

/** Sends a stream in pieces; gives the bytes of its audio, and its errors. */
async function live(bytes: Uint8Array, cut: number): Promise<{ bytes: number; errors: string[] }> {
  let heard = 0;
  const errors: string[] = [];
  const decoder = openStreamDecoder('auto', {
    audio: (pcm) => {
      heard += pcm.length;
      return undefined;
    },
    error: ({ message }) => errors.push(message),
  });
  for (let at = 0; at < bytes.length; at += cut)
    if (!decoder.push(bytes.subarray(at, at + cut))) await decoder.drained();
  await decoder.end();
  return { bytes: heard, errors };
}

describe('AUD-04: audio is found by its frames', () => {
  it.each(Object.keys(BEFORE))('MP3 after %s', async (name) => {
    const path = await written(`${name.replace(/\W/g, '-')}.mp3`, Buffer.concat([BEFORE[name]!, mp3]));
    const samples = await decode(path);
    expect(samples.length).toBe((await decode(audioFile('short.mp3'))).length);
    expect(likeness(short.samples, samples)).toBeGreaterThan(0.9);
  });

  it('MP3 that begins in the middle of a frame', async () => {
    const samples = await decode(await written('cut.mp3', mp3.subarray(1234)));
    expect(samples.length).toBeGreaterThan(short.samples.length * 0.9);
  });

  it.each(['padding with zeros', 'half a tag', 'the end of a frame'])('AAC after %s', async (name) => {
    // Other tests of this process leave an ffmpeg of theirs in the folder.
    vi.stubEnv('PATH', join(folder, 'empty'));
    vi.stubEnv('FFMPEG_PATH', '');
    const bytes = Buffer.concat([BEFORE[name]!, aac]);
    await expect(decode(await written('late.aac', bytes))).rejects.toThrow(/^AAC needs ffmpeg/);
    expect((await live(bytes, 1000)).errors).toEqual([expect.stringMatching(/^AAC needs ffmpeg/)]);
    vi.unstubAllEnvs();
  });

  it.each(['padding with zeros', 'half a tag', 'the end of a frame'])('a live MP3 after %s', async (name) => {
    const whole = await live(mp3, 1000);
    expect(whole.bytes).toBeGreaterThan(short.pcm.length * 0.9);
    expect(await live(Buffer.concat([BEFORE[name]!, mp3]), 777)).toEqual(whole);
  });

  it('a live stream that stays unknown is refused with its first 64 KiB, text with its first 4', async () => {
    const refusal = async (bytes: Buffer): Promise<string> =>
      new Promise((resolve) => {
        const decoder = openStreamDecoder('auto', { audio: () => undefined, error: ({ message }) => resolve(message) });
        decoder.push(bytes);
      });
    expect(await refusal(picture(1 << 16))).toBe('The stream is of no known audio format.');
    expect(await refusal(Buffer.alloc(4096, 'words '))).toBe('The stream is not audio: it looks like text.');
  });

  it.each([188, 100, 4096])('AUD-10: not in a live transport stream, which comes in pieces of %i', async (size) => {
    const frames = Array.from({ length: 3 }, () => [0xff, 0xf8, 0xc5, 0x08, 0x01, 0x68, 0, 0, 0, 0, 0]).flat();
    expect(findFrames(Uint8Array.from(frames))?.at).toBe(0);
    const packet = Buffer.alloc(188);
    packet.set([0x47, 0x40, 0x11, 0x10, ...frames]);
    expect((await live(Buffer.concat(new Array<Buffer>(30).fill(packet)), size)).errors).toEqual([
      'The stream is an MPEG transport stream. Its sound can be transcribed from a file, not live.',
    ]);
  });

  it('only by three headers of one kind, each where the one before says', () => {
    const starts = [0];
    for (let at = 0, frame = frameAt(mp3, 0); frame !== null; frame = frameAt(mp3, at))
      starts.push((at += frame.bytes));
    expect(starts.at(-1)).toBe(mp3.length);
    const after = (...pieces: Uint8Array[]): number | undefined =>
      findFrames(new Uint8Array(Buffer.concat([picture(100), ...pieces])))?.at;
    const [, second, third] = starts;
    const two = mp3.subarray(0, third);
    expect(after(two)).toBeUndefined();
    expect(after(mp3.subarray(0, starts[3]))).toBe(100);
    expect(after(two, picture(1), mp3.subarray(third))).toBe(100 + two.length + 1);
    const otherRate = mp3.slice(0, starts[3]);
    otherRate[second! + 2] = otherRate[second! + 2]! ^ 0x04;
    expect(after(otherRate)).toBeUndefined();
    expect(after(new Uint8Array(1 << 16).fill(0xff))).toBeUndefined();
  });
});
