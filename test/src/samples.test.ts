import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sampleFilename, SampleName } from '#contract/samples.ts';
import { SAMPLES } from '#machines/playground/sample/list.ts';

/** Seconds of a WAV file of 16-bit mono sound. */
function secondsOf(filename: string): number {
  const file = readFileSync(new URL(`../../server/samples/${filename}`, import.meta.url));
  return (file.length - 44) / file.readUInt32LE(28);
}

describe('ONB-05: the samples', () => {
  it('are those of the contract, each as long as it says', () => {
    expect(SAMPLES.map(({ name }) => name)).toEqual(SampleName.options);
    for (const { name, seconds } of SAMPLES)
      expect([name, Math.floor(secondsOf(sampleFilename(name)))]).toEqual([name, seconds]);
  });
});
