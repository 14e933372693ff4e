import type { LimitName } from '#contract/limits.ts';

/** The maximum of each limit for organizations to which the operator has set none; null for no bound. */
export type LimitDefaults = Readonly<Record<LimitName, number | null>>;

/** The only table of these limits. Other bounds of requests and sessions are defined where they are checked. */
export const LIMIT_DEFAULTS: LimitDefaults = {
  requests_per_minute: 200,
  concurrent_streams: 20,
  waiting_jobs: 200,
  stored_bytes: 20 * 2 ** 30,
  audio_minutes: 100_000,
  budget_micros: null,
};
