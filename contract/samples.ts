import * as v from 'valibot';

/** Recordings that come with the server, for a project that has none of its own (ONB-04). */
export const SampleName = v.picklist(['meeting-notes', 'noisy-call', 'dictation']);
export type SampleName = v.InferOutput<typeof SampleName>;

/** Of its file. */
export const sampleFilename = (name: SampleName): string => `${name}.wav`;
