import * as v from 'valibot';

/** Sample recordings that come with the server, for projects without recordings (ONB-04). */
export const SampleName = v.picklist(['meeting-notes', 'noisy-call', 'dictation']);
export type SampleName = v.InferOutput<typeof SampleName>;

/** The name of the sample's file. */
export const sampleFilename = (name: SampleName): string => `${name}.wav`;
