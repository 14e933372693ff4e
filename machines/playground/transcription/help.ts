import { EXHAUSTED_LIMITS, type ReachedLimit } from '#contract/errors.ts';
import { PASSING_ERRORS, RECORDING_ERRORS, type Transcription } from '#contract/transcriptions.ts';

/** What helps after a failure. */
export type FailureHelp = { by: 'otherFile' | 'repeating' | 'settings' } | { by: 'limit'; limit: ReachedLimit };

const NEEDS_OTHER_FILE: readonly string[] = [...RECORDING_ERRORS, 'file_not_found'];
const MAY_PASS: readonly string[] = PASSING_ERRORS;

const isExhausted = (type: string): type is keyof typeof EXHAUSTED_LIMITS => Object.hasOwn(EXHAUSTED_LIMITS, type);

/** The balance or budget that an error is about. */
export const limitOf = (type: string): ReachedLimit | undefined =>
  isExhausted(type) ? EXHAUSTED_LIMITS[type] : undefined;

/** What helps after a transcription failed; null if the playground has nothing, because it has no file to send. */
export function helpAfter({ error_type, file_id }: Pick<Transcription, 'error_type' | 'file_id'>): FailureHelp | null {
  const type = error_type ?? '';
  const limit = limitOf(type);
  if (limit) return { by: 'limit', limit };
  if (NEEDS_OTHER_FILE.includes(type)) return { by: 'otherFile' };
  if (file_id === null) return null;
  return { by: MAY_PASS.includes(type) ? 'repeating' : 'settings' };
}
