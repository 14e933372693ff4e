import type { Services } from '../../platform/context.ts';
import { repeat } from '../../platform/repeat.ts';

const HOUR_MS = 3600_000;
/** Spent links in e-mails are kept this long, so that they can say that they are spent. */
const LINK_KEPT_MS = 30 * 24 * HOUR_MS;
/** How long after its last heartbeat a stream may still end, as its process was cut off: no stream, and no outage, is taken to be longer. */
const CUT_OFF_MS = 24 * HOUR_MS;

/** Deletes what has expired: sign-ins that cannot be continued, old links, people who did not sign up, counts that have run out. */
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
  // Names and addresses of people who never said yes: a day is enough to tell them that they are late.
  await db
    .deleteFrom('sso_signups')
    .where('expires_at', '<=', new Date(now.getTime() - 24 * HOUR_MS))
    .execute();
  // What ended after its project was deleted; it is billed, and nothing else is left to know, but of one that was taken for dead and goes
  // on. Its organization may be going just now.
  const left = db
    .selectFrom('live_sessions')
    .select('id')
    .where('status', '<>', 'running')
    .where((eb) =>
      eb.or([eb('taken_for_dead', '=', false), eb('ended_at', '<=', new Date(now.getTime() - CUT_OFF_MS))]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('projects').select('id').whereRef('projects.id', '=', 'live_sessions.project_id'))),
    )
    .forUpdate()
    .skipLocked();
  await db.deleteFrom('live_sessions').where('id', 'in', left).execute();
  // Who waited for a turn may come for it a while later.
  await db
    .deleteFrom('rate_limits')
    .where('arrival_ms', '<', now.getTime() - HOUR_MS)
    .execute();
}

/** Farther from what has passed, a clock was set; slower corrections are none. */
const DRIFT_MS = 600_000;

/**
 * Whether a clock has gone on as time itself since this was asked last, or made. What has expired by a clock that jumped is as good as
 * ever once it is set right, and nothing that was deleted comes back then.
 * @param passed milliseconds that only grow
 */
export function watchClock(clock: () => Date, passed: () => number = () => performance.now()): () => boolean {
  const offset = (): number => clock().getTime() - passed();
  let before = offset();
  return () => {
    const now = offset();
    const isSteady = Math.abs(now - before) <= DRIFT_MS;
    before = now;
    return isSteady;
  };
}

/** Prunes every hour in which the clock was not set, until the server closes; first after an hour, by which a clock is right. */
export function keepPruned(services: Services): void {
  const isSteady = watchClock(services.clock);
  const run = async (): Promise<void> => {
    if (isSteady()) await prune(services);
    else services.log.warn('the clock was set: nothing is pruned in this hour');
  };
  repeat(services, { name: 'pruning', everyMs: HOUR_MS, run });
}
