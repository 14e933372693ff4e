import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';

const Descriptions = v.array(v.object({ filename: v.string(), title: v.string(), text: v.string() }));

export interface Clip {
  path: string;
  /** The words that are spoken. */
  text: string;
  sampleRate: number;
  /** 16-bit samples as they stand in the file: what a client would send. */
  pcm: Uint8Array;
  samples: Float32Array;
  seconds: number;
}

const SAMPLES_FOLDER = fileURLToPath(new URL('../../server/samples/', import.meta.url));
export const CLIPS_FOLDER = fileURLToPath(new URL('./', import.meta.url));

const read = (folder: string, list: string): Map<string, Clip> =>
  new Map(
    v.parse(Descriptions, JSON.parse(readFileSync(folder + list, 'utf8'))).map(({ filename, text }) => {
      const path = folder + filename;
      const file = readFileSync(path);
      const pcm = file.subarray(44);
      const sampleRate = file.readUInt32LE(24);
      const samples = new Float32Array(pcm.length >> 1).map((_, index) => pcm.readInt16LE(index * 2) / 32_768);
      return [filename, { path, text, sampleRate, pcm, samples, seconds: samples.length / sampleRate }];
    }),
  );

const clips = new Map([...read(CLIPS_FOLDER, 'clips.json'), ...read(SAMPLES_FOLDER, 'samples.json')]);

/** One of our own recordings (mono wav, 16 bit), by file name. */
export function clip(filename: string): Clip {
  const found = clips.get(filename);
  if (found === undefined) throw new Error(`There is no clip ${filename}.`);
  return found;
}
