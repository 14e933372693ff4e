/** Removes what has been kept for as long as the settings say, of everything that grows. */
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
import type { Kept, Sweep } from '../platform/retention.ts';
import { removeOldFiles } from '../speech-api/files/retention.ts';
import { removeOldSessions } from '../speech-api/live/retention.ts';
import { removeOldTranscriptions } from '../speech-api/transcriptions/retention.ts';
import { removeOldAudit } from '../tenancy/audit/retention.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Rows that one transaction removes. */
const BATCH = 1000;

/** Given up, these are about money: they stay until the operator has dealt with them. */
const MONEY = [AUTOPAY, CLOSE_CUSTOMER, FORGET_METHOD];

const REMOVERS: Readonly<Record<Kept, (sweep: Sweep) => Promise<number>>> = {
  transcriptions: removeOldTranscriptions,
  recordings: removeOldFiles,
  usage: removeOldUsage,
  liveSessions: removeOldSessions,
  audit: removeOldAudit,
  mails: removeOldMails,
  deadJobs: (sweep) => removeDeadJobs(sweep, MONEY),
};
const KINDS = Object.keys(REMOVERS) as Kept[];

type Removed = Partial<Record<Kept, number>>;

/**
 * Removes what is too old, kind after kind; one that fails keeps none of the others. Several processes may do so at once. Stops after the
 * transaction at hand once the server closes.
 * @returns how many rows of each kind are gone
 * @throws what the first kind failed with, when all have had their turn
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
  if (Object.keys(removed).length > 0) log.info({ removed }, 'what was kept for its time is removed');
  if (failures.length > 0) throw failures[0];
  return removed;
}

/** Does so every hour in which the clock was not set, until the server closes; first after an hour, by which a clock is right. */
export function keepRetention(services: Services): void {
  const isSteady = watchClock(services.clock);
  const run = async (): Promise<void> => {
    if (isSteady()) await removeOld(services);
  };
  repeat(services, { name: 'retention', everyMs: HOUR_MS, run });
}
