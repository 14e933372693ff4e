import type { Rate } from '../http/rate-limit.ts';

/** What one project may keep and ask for over REST (speech API §4). */
export interface RestLimits {
  /** Files in store, by number and in bytes. */
  files: number;
  storedBytes: number;
  /** Transcriptions that are queued or processing. */
  pending: number;
  /** Transcriptions, however they ended. */
  transcriptions: number;
  /** New transcriptions and temporary keys together. */
  creates: Rate;
}

export const REST_LIMITS: RestLimits = {
  files: 1000,
  storedBytes: 10 * 2 ** 30,
  pending: 100,
  transcriptions: 2000,
  creates: { burst: 100, everyMs: 600 },
};
