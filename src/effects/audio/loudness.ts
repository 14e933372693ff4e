/** Quietest sound on the meter, decibels below full scale. */
const FLOOR_DB = 60;
const FULL_SCALE = 0x8000;

/** Loudness of samples on a meter: 0 at the floor, 1 at full scale. */
export function loudness(samples: ArrayLike<number>, fullScale = 1): number {
  let power = 0;
  for (let index = 0; index < samples.length; index++) power += ((samples[index] ?? 0) / fullScale) ** 2;
  const decibels = 10 * Math.log10(Math.max(power / Math.max(1, samples.length), 1e-12));
  return Math.max(0, Math.min(1, 1 + decibels / FLOOR_DB));
}

/** The loudness of a chunk of s16le. */
export const loudnessOf = (pcm: ArrayBuffer): number => loudness(new Int16Array(pcm), FULL_SCALE);
