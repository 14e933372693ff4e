/** The code of a failed request, whose row has only its `error_type`. */
import { EXHAUSTED } from '#contract/errors.ts';
import { LIVE_ERRORS } from '#contract/live.ts';
import { RECORDING_ERRORS } from '#contract/transcriptions.ts';

/** Errors that only transcriptions end with, by the code that a refusal with this error has. */
const TRANSCRIPTION_CODES: Readonly<Record<number, readonly string[]>> = {
  400: [...RECORDING_ERRORS, 'audio_url_not_allowed', 'audio_url_unreachable'],
  402: EXHAUSTED,
  404: ['file_not_found'],
  500: ['engine_failed', 'storage_full'],
};

const CODES: ReadonlyMap<string, number> = new Map(
  [...Object.entries(LIVE_ERRORS), ...Object.entries(TRANSCRIPTION_CODES)].flatMap(([code, types]) =>
    types.map((type) => [type, Number(code)] as const),
  ),
);

/** The code of an error, as the API reference has it; null if there is none. */
export const codeOf = (errorType: string): number | null => CODES.get(errorType) ?? null;
