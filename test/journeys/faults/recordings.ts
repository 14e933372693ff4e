/** Recordings of any length, made of the spoken clips. */
import { readFileSync } from 'node:fs';
import { clip } from '../playground.ts';

const HEADER_BYTES = 44;
const RIFF_SIZE_AT = 4;
const DATA_SIZE_AT = 40;

export type Recording = { name: string; mimeType: string; buffer: Buffer };

/** A clip said over and over. The clips have the plain header of 44 bytes. */
export function repeated(clipName: string, times: number, name: string): Recording {
  const source = readFileSync(clip(clipName));
  if (source.toString('latin1', DATA_SIZE_AT - 4, DATA_SIZE_AT) !== 'data')
    throw new Error(`${clipName} has an unusual header.`);
  const sound = source.subarray(HEADER_BYTES);
  const header = Buffer.from(source.subarray(0, HEADER_BYTES));
  header.writeUInt32LE(HEADER_BYTES - 8 + sound.length * times, RIFF_SIZE_AT);
  header.writeUInt32LE(sound.length * times, DATA_SIZE_AT);
  return { name, mimeType: 'audio/wav', buffer: Buffer.concat([header, ...Array<Buffer>(times).fill(sound)]) };
}
