/** Removes rows and recordings that are older than the settings allow. */
import { watchClock } from '../identity/accounts/prune.ts';
import { AUTOPAY } from '../money/ledger/schedule.ts';
import { FORGET_METHOD } from '../money/payments/forget.ts';
import { CLOSE_CUSTOMER } from '../money/payments/leave.ts';
import { removeOldUsage } from '../money/usage/retention.ts';
import type { Services } from '../platform/context.ts';
import { databaseNow } from '../platform/db/now.ts';
import { removeDeadJobs } from '../platform/jobs/retention.ts';
import { removeOldMails } from '../platform/mail/retention.ts';
import { repeat } from '../platform/repeat.ts';
import type { RetentionKind, Sweep } from '../platform/retention.ts';
import { removeOldFiles } from '../speech-api/files/retention.ts';
import { removeOldSessions } from '../speech-api/live/retention.ts';
import { removeOldTranscriptions } from '../speech-api/transcriptions/retention.ts';
import { removeOldAudit } from '../tenancy/audit/retention.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Rows that one transaction removes at most. */
const BATCH = 1000;

/** Kinds of jobs about money. Given up, they stay until the operator has dealt with them. */
const MONEY = [AUTOPAY, CLOSE_CUSTOMER, FORGET_METHOD];

const REMOVERS: Readonly<Record<RetentionKind, (sweep: Sweep) => Promise<number>>> = {
  transcriptions: removeOldTranscriptions,
  recordings: removeOldFiles,
  usage: removeOldUsage,
  liveSessions: removeOldSessions,
  audit: removeOldAudit,
  mails: removeOldMails,
  deadJobs: (sweep) => removeDeadJobs(sweep, MONEY),
};
const KINDS = Object.keys(REMOVERS) as RetentionKind[];

type Removed = Partial<Record<RetentionKind, number>>;

/**
 * Removes what is too old, kind after kind, also if one fails. Several processes may do this at once. When the server
 * closes, stops after the current transaction.
 * @returns how many rows of each kind were removed
 * @throws the first error, after trying all kinds
 */
export async function removeOld(
  { db, clock, config, closing, log }: Pick<Services, 'db' | 'clock' | 'config' | 'closing' | 'log'>,
  batch = BATCH,
): Promise<Removed> {
  const now = await databaseNow(db, clock);
  const removed: Removed = {};
  const failures: unknown[] = [];
  for (const kind of KINDS) {
    const days = config.keepDays[kind];
    if (days === undefined || closing.begun) continue;
    const before = new Date(now.getTime() - days * DAY_MS);
    try {
      const count = await REMOVERS[kind]({ db, now, before, batch, isStopped: () => closing.begun });
      if (count > 0) removed[kind] = count;
    } catch (error) {
      failures.push(error);
    }
  }
  if (Object.keys(removed).length > 0) log.info({ removed }, 'removed what was too old');
  if (failures.length > 0) throw failures[0];
  return removed;
}

/** Removes old rows every hour, except after hours in which the clock was set. The first time is an hour from now. */
export function keepRetention(services: Services): void {
  const isSteady = watchClock(services.clock);
  const run = async (): Promise<void> => {
    if (isSteady()) await removeOld(services);
  };
  repeat(services, { name: 'retention', everyMs: HOUR_MS, run });
}
