import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/callers.ts';
import { mayUsePlayground } from '../../tenancy/projects/queries.ts';
import { incorrectKey } from '../key-messages.ts';
import type { KnownKey } from '../temporary-keys/keys.ts';
import { refusal, type LiveRefusal } from './refusal.ts';

/** Who a session runs for. */
export interface Holder {
  caller: Caller;
  /** The key, if it is a temporary one. */
  temporary: KnownKey | null;
}

interface Running {
  holder: Holder;
  /** The session; see `Applicant`. */
  applicant: { withdraw(reason: LiveRefusal): void };
}

type Parts = Pick<Services, 'db' | 'publicUrl'>;

/** Ends sessions that have lost their access, and those whose row another process has ended. */
export async function endWithoutAccess(parts: Parts, sessions: ReadonlyMap<string, Running>): Promise<void> {
  // Copied before the query: a session that is admitted during the query is not in its result.
  const held = [...sessions];
  if (held.length === 0) return;
  const rows = await parts.db
    .selectFrom('live_sessions')
    .leftJoin('projects', 'projects.id', 'live_sessions.project_id')
    .leftJoin('api_keys', 'api_keys.id', 'live_sessions.api_key_id')
    .select(['live_sessions.id', 'projects.id as project', 'api_keys.revoked_at'])
    .where(
      'live_sessions.id',
      'in',
      held.map(([id]) => id),
    )
    .where('live_sessions.status', '=', 'running')
    .execute();
  const found = new Map(rows.map((row) => [row.id, row]));
  for (const [id, { holder, applicant }] of held) {
    const reason = await lossOf(parts, holder, found.get(id));
    if (reason !== null) applicant.withdraw(reason);
  }
}

/** @returns why a session has lost its access; null if it has not */
async function lossOf(
  parts: Parts,
  { caller: { projectId, userId }, temporary }: Holder,
  row: { project: string | null; revoked_at: Date | null } | undefined,
): Promise<LiveRefusal | null> {
  const { db } = parts;
  if (row?.project === null) return refusal.projectDeleted();
  if (
    row !== undefined &&
    row.revoked_at === null &&
    (userId === null || (await mayUsePlayground(db, userId, projectId)))
  )
    return null;
  // The project may have been deleted since the query.
  if (await isDeleted(db, projectId)) return refusal.projectDeleted();
  // The row is no longer running: another process took this one for dead.
  if (row === undefined) return refusal.cannotContinue(4);
  return temporary ? refusal.invalidTemporaryKey() : refusal.invalidKey(incorrectKey(parts));
}

const isDeleted = async (db: Db, projectId: string): Promise<boolean> =>
  (await db.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst()) === undefined;
