/** A recording of any length, made of the frames of a short one: MP3 frames of a constant bit rate stand for themselves. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIPS_FOLDER } from '#test/audio/clips.ts';

const BIT_RATES_V1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BIT_RATES_V2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES = [44_100, 48_000, 32_000];

interface Frame {
  bytes: Buffer;
  seconds: number;
}

/** The layer III frame at an offset. @throws Error when there is none */
function frameAt(file: Buffer, offset: number): Frame {
  const header = file.readUInt32BE(offset);
  const version = (header >>> 19) & 3;
  const [bitRate, baseRate] = [
    (version === 3 ? BIT_RATES_V1 : BIT_RATES_V2)[(header >>> 12) & 15],
    SAMPLE_RATES[(header >>> 10) & 3],
  ];
  if (header >>> 21 !== 0x7ff || version === 1 || ((header >>> 17) & 3) !== 1 || !bitRate || baseRate === undefined)
    throw new Error(`No MP3 frame at byte ${offset}.`);
  const sampleRate = baseRate / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = version === 3 ? 1152 : 576;
  const length = Math.floor(((samples / 8) * bitRate * 1000) / sampleRate) + ((header >>> 9) & 1);
  return { bytes: file.subarray(offset, offset + length), seconds: samples / sampleRate };
}

function framesOf(file: Buffer): Frame[] {
  const tagged = file.toString('latin1', 0, 3) === 'ID3';
  let offset = tagged ? 10 + [6, 7, 8, 9].reduce((size, at) => (size << 7) | (file[at] ?? 0), 0) : 0;
  const frames: Frame[] = [];
  while (offset + 4 <= file.length && file.toString('latin1', offset, offset + 3) !== 'TAG') {
    const frame = frameAt(file, offset);
    offset += frame.bytes.length;
    // The first frame of many files holds no sound but the length of the file, which would be wrong here.
    if (!/Xing|Info|VBRI/.test(frame.bytes.toString('latin1', 0, 60))) frames.push(frame);
  }
  return frames;
}

/** @returns the file, its length in seconds, and how often the speech of `short.mp3` is in it */
export function longMp3(seconds: number): { bytes: Buffer<ArrayBuffer>; seconds: number; times: number } {
  const frames = framesOf(readFileSync(join(CLIPS_FOLDER, 'short.mp3')));
  const once = frames.reduce((sum, frame) => sum + frame.seconds, 0);
  const times = Math.ceil(seconds / once);
  const speech = Buffer.concat(frames.map(({ bytes }) => bytes));
  return { bytes: Buffer.concat(Array.from({ length: times }, () => speech)), seconds: once * times, times };
}
