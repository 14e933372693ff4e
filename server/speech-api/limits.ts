/** Fixed limits of a project. `money/limits` has those that people can change. */
export interface StoredItemLimits {
  /** Stored files. */
  files: number;
  /** Transcriptions in any state. */
  transcriptions: number;
}

/** Longest recording that is transcribed, seconds (speech API §4). */
export const MAX_AUDIO_SECONDS = 300 * 60;

export const STORED_ITEM_LIMITS: StoredItemLimits = { files: 1000, transcriptions: 2000 };
