/** What one project may keep, besides what the limits of its organization and its own allow. */
export interface RestLimits {
  /** Files in store. */
  files: number;
  /** Transcriptions, however they ended. */
  transcriptions: number;
}

/** Longest recording that is transcribed, seconds (speech API §4). */
export const MAX_AUDIO_SECONDS = 300 * 60;

export const REST_LIMITS: RestLimits = { files: 1000, transcriptions: 2000 };
