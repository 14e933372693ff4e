import type { Services } from '../../platform/context.ts';
import { repeat } from '../../platform/repeat.ts';

const HOUR_MS = 3600_000;
/** Expired links of mails are kept this long, so that opening one says that it has expired. */
const LINK_KEPT_MS = 30 * 24 * HOUR_MS;
/**
 * A stream that was taken for dead is kept this long, longer than any outage: its process may have lost the database,
 * and may still report the end.
 */
const DEAD_STREAM_KEPT_MS = 24 * HOUR_MS;

/**
 * Deletes expired rows: sessions, links of mails, unfinished sign-ups, ended streams of deleted projects, rate counts.
 */
export async function prune({ db, clock }: Services): Promise<void> {
  const now = clock();
  await db.deleteFrom('refresh_tokens').where('expires_at', '<=', now).execute();
  await db
    .deleteFrom('sessions')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('refresh_tokens').select('token_hash').whereRef('refresh_tokens.session_id', '=', 'sessions.id'),
        ),
      ),
    )
    .execute();
  const linksBefore = new Date(now.getTime() - LINK_KEPT_MS);
  await db.deleteFrom('activations').where('expires_at', '<=', linksBefore).execute();
  await db.deleteFrom('recoveries').where('expires_at', '<=', linksBefore).execute();
  await db.deleteFrom('invitations').where('expires_at', '<=', linksBefore).execute();
  await db.deleteFrom('sso_attempts').where('expires_at', '<=', now).execute();
  // Names and addresses of people who did not finish their sign-up. Kept a day, to say that the sign-up has expired.
  await db
    .deleteFrom('sso_signups')
    .where('expires_at', '<=', new Date(now.getTime() - 24 * HOUR_MS))
    .execute();
  // Ended streams of deleted projects are billed and not needed any more. A stream that was taken for dead is kept for
  // a while, because its process may still end it. Skips rows that are locked by the deletion of their organization.
  const orphaned = db
    .selectFrom('live_sessions')
    .select('id')
    .where('status', '<>', 'running')
    .where((eb) =>
      eb.or([eb('taken_for_dead', '=', false), eb('ended_at', '<=', new Date(now.getTime() - DEAD_STREAM_KEPT_MS))]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('projects').select('id').whereRef('projects.id', '=', 'live_sessions.project_id'))),
    )
    .forUpdate()
    .skipLocked();
  await db.deleteFrom('live_sessions').where('id', 'in', orphaned).execute();
  // Kept for an hour after the moment until which the client had to wait.
  await db
    .deleteFrom('rate_limits')
    .where('arrival_ms', '<', now.getTime() - HOUR_MS)
    .execute();
}

/** If the clock moves this much more or less than the elapsed time, somebody has set it. */
const DRIFT_MS = 600_000;

/**
 * Returns a function that tells whether the clock has run steadily since its last call. Rows that seem to have expired
 * after a jump of the clock become valid again once it is corrected, so they must not be deleted.
 * @param elapsed a monotonic time, milliseconds
 */
export function watchClock(clock: () => Date, elapsed: () => number = () => performance.now()): () => boolean {
  const offset = (): number => clock().getTime() - elapsed();
  let offsetBefore = offset();
  return () => {
    const offsetNow = offset();
    const isSteady = Math.abs(offsetNow - offsetBefore) <= DRIFT_MS;
    offsetBefore = offsetNow;
    return isSteady;
  };
}

/**
 * Prunes every hour unless the clock was set, until the server closes. Begins after an hour: until then
 * a clock that was wrong at the start has been set.
 */
export function pruneHourly(services: Services): void {
  const isSteady = watchClock(services.clock);
  const run = async (): Promise<void> => {
    if (isSteady()) await prune(services);
    else services.log.warn('the clock was set: nothing is pruned in this hour');
  };
  repeat(services, { name: 'pruning', everyMs: HOUR_MS, run });
}
