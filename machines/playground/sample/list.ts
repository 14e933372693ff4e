// The sample recordings that come with the server.
import type { SampleName } from '#contract/samples.ts';
import type { AsyncPatch } from '../settings/change.ts';

export type Sample = {
  name: SampleName;
  title: string;
  text: string;
  /** Length; a test measures it. */
  seconds: number;
  /** Settings to apply before it is transcribed. */
  settings: AsyncPatch;
};

export const SAMPLES: readonly Sample[] = [
  {
    name: 'meeting-notes',
    title: 'Two speakers',
    text: 'A short meeting. Speakers are told apart.',
    seconds: 27,
    settings: { enable_speaker_diarization: true },
  },
  {
    name: 'noisy-call',
    title: 'Noisy call',
    text: 'A telephone line with hiss and hum.',
    seconds: 22,
    settings: { enable_speaker_diarization: true },
  },
  {
    name: 'dictation',
    title: 'Dictation',
    text: 'A letter, spoken in one go.',
    seconds: 15,
    settings: { enable_speaker_diarization: false },
  },
];

/** The sample for live sessions. */
export const LIVE_SAMPLE: SampleName = 'meeting-notes';

/** @throws Error for a name without a sample */
export function sampleOf(name: SampleName): Sample {
  const sample = SAMPLES.find((one) => one.name === name);
  if (!sample) throw new Error(`There is no sample '${name}'.`);
  return sample;
}
