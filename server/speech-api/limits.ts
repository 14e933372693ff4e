/** Limits of a project that nobody can change, besides those in `money/limits`. */
export interface RestLimits {
  /** Stored files. */
  files: number;
  /** Transcriptions in any state. */
  transcriptions: number;
}

/** Longest recording that is transcribed, seconds (speech API §4). */
export const MAX_AUDIO_SECONDS = 300 * 60;

export const REST_LIMITS: RestLimits = { files: 1000, transcriptions: 2000 };
