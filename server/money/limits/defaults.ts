import type { LimitName } from '#contract/limits.ts';

/** What every organization may use, unless the operator allows it another maximum; null for no bound. */
export type LimitDefaults = Readonly<Record<LimitName, number | null>>;

/** The one table of these limits. What else bounds a request or a session is said where it is checked. */
export const LIMIT_DEFAULTS: LimitDefaults = {
  requests_per_minute: 200,
  concurrent_streams: 20,
  waiting_jobs: 200,
  stored_bytes: 20 * 2 ** 30,
  audio_minutes: 100_000,
  budget_micros: null,
};
