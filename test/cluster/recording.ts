/** Recordings that say the same, and are told apart by their bytes. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { clip } from '../audio/clips.ts';

export const CLIP = clip('short.wav');
const WAV = readFileSync(CLIP.path);
const MARK_BYTES = 16;

/** The clip with a chunk of its own at the end, which nobody reads. */
export function newRecording(): Buffer {
  const mark = Buffer.alloc(8 + MARK_BYTES);
  mark.write('junk', 0);
  mark.writeUInt32LE(MARK_BYTES, 4);
  randomBytes(MARK_BYTES).copy(mark, 8);
  const recording = Buffer.concat([WAV, mark]);
  recording.writeUInt32LE(recording.length - 8, 4);
  return recording;
}
