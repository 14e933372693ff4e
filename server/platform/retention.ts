/** How long rows and recordings are kept, and how older ones are removed. */
import type { Environment } from './environment.ts';
import type { Db } from './db/database.ts';

/** Kinds of data that can be removed for their age. */
export type RetentionKind = 'usage' | 'audit' | 'recordings' | 'transcriptions' | 'liveSessions' | 'deadJobs' | 'mails';

/** Days to keep each kind; undefined means forever. */
export type KeepDays = Readonly<Record<RetentionKind, number | undefined>>;

export const keepDaysOf = (env: Environment): KeepDays => ({
  usage: env.KEEP_USAGE_DAYS,
  audit: env.KEEP_AUDIT_DAYS,
  recordings: env.KEEP_RECORDINGS_DAYS,
  transcriptions: env.KEEP_TRANSCRIPTIONS_DAYS,
  liveSessions: env.KEEP_LIVE_SESSIONS_DAYS,
  deadJobs: env.KEEP_DEAD_JOBS_DAYS,
  mails: env.KEEP_MAILS_DAYS,
});

/** Options of one removal of old data. */
export interface Sweep {
  db: Db;
  /** By the database's clock. */
  now: Date;
  /** Removes data older than this. */
  before: Date;
  /** The largest number of rows that one transaction removes. */
  batch: number;
  /** Whether the server stops; then no further batch begins. */
  isStopped: () => boolean;
}

/** Calls `remove` for one batch after the other, until it removes nothing. @returns how many rows were removed */
export async function inBatches({ isStopped }: Sweep, remove: () => Promise<number>): Promise<number> {
  let removed = 0;
  while (!isStopped()) {
    const count = await remove();
    if (count === 0) break;
    removed += count;
  }
  return removed;
}
