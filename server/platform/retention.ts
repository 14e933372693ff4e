/** How long what grows is kept, and how what is older goes. */
import type { Environment } from './environment.ts';
import type { Db } from './db/database.ts';

/** What can be removed for its age. */
export type Kept = 'usage' | 'audit' | 'recordings' | 'transcriptions' | 'liveSessions' | 'deadJobs' | 'mails';

/** Days; undefined: for good. */
export type KeepDays = Readonly<Record<Kept, number | undefined>>;

export const keepDaysOf = (env: Environment): KeepDays => ({
  usage: env.KEEP_USAGE_DAYS,
  audit: env.KEEP_AUDIT_DAYS,
  recordings: env.KEEP_RECORDINGS_DAYS,
  transcriptions: env.KEEP_TRANSCRIPTIONS_DAYS,
  liveSessions: env.KEEP_LIVE_SESSIONS_DAYS,
  deadJobs: env.KEEP_DEAD_JOBS_DAYS,
  mails: env.KEEP_MAILS_DAYS,
});

/** One look for what is too old. */
export interface Sweep {
  db: Db;
  /** By the clock of the database. */
  now: Date;
  /** What is older goes. */
  before: Date;
  /** Rows that one transaction removes, at most. */
  batch: number;
  /** Whether the server stops: nothing more is begun then. */
  isStopped: () => boolean;
}

/** Removes batch after batch, each in a transaction of its own, until there is nothing left that can go. @returns how many */
export async function inBatches({ isStopped }: Sweep, remove: () => Promise<number>): Promise<number> {
  let removed = 0;
  while (!isStopped()) {
    const count = await remove();
    if (count === 0) break;
    removed += count;
  }
  return removed;
}
