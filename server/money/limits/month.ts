/** Use of a month (UTC), and reservations of unfinished requests. One statement reads both: no request counts twice. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { fundsOf } from '../ledger/admission.ts';
import { monthAfter, monthOf } from '../usage/months.ts';
import type { Place } from './bounds.ts';

/** Audio in milliseconds, and its cost in micro-USD. */
export interface Amount {
  ms: number;
  micros: number;
}

/** Sums over all projects of an organization, and of one of its projects (0 if no project is given). */
export interface AmountByScope {
  organization: Amount;
  project: Amount;
}

export interface Month {
  /** Use by requests that ended in the month. */
  used: AmountByScope;
  /** Reserved by requests that have not ended, whenever they began. */
  reserved: AmountByScope;
  /** Balance that the organization may still use, including a pending charge, micro-USD; null if it is gone. */
  funds: number | null;
}

const projectsOf = (organizationId: string): RawBuilder<unknown> =>
  sql`select id from projects where organization_id = ${organizationId}`;
/** Including deleted projects, because their use still counts. */
const allProjectsOf = (organizationId: string): RawBuilder<unknown> =>
  sql`select id from projects where organization_id = ${organizationId}
    union all select id from deleted_projects where organization_id = ${organizationId}`;

const NAMES = ['used_ms', 'used_micros', 'reserved_ms', 'reserved_micros'] as const;
type Sums = Record<`${'organization' | 'project'}_${(typeof NAMES)[number]}` | 'funds', number | string | null>;

/**
 * @param now by the database's clock
 * @param except id of a transcription or live session whose reservation is left out
 */
export async function readMonth(
  db: Db,
  { organizationId, projectId }: Place,
  now: Date,
  except: string | null = null,
): Promise<Month> {
  const mine = sql`where project_id = ${projectId}::uuid`;
  const sums = NAMES.flatMap((name) => [
    sql`coalesce(sum(${sql.ref(name)}), 0)::bigint as ${sql.ref(`organization_${name}`)}`,
    sql`coalesce(sum(${sql.ref(name)}) filter (${mine}), 0)::bigint as ${sql.ref(`project_${name}`)}`,
  ]);
  const { rows } = await sql<Sums>`select ${sql.join(sums)}, ${fundsOf(organizationId)}::bigint as funds from (
      select project_id, audio_ms as used_ms, cost_micros as used_micros, 0 as reserved_ms, 0 as reserved_micros from usage_daily
        where project_id = any(array(${allProjectsOf(organizationId)})) and step >= ${monthOf(now)} and step < ${monthAfter(now)}
      union all select project_id, 0, 0, reserved_ms, reserved_micros from transcriptions
        where project_id in (${projectsOf(organizationId)}) and status in ('queued', 'processing') and id is distinct from ${except}::uuid
      union all select project_id, 0, 0, reserved_ms, reserved_micros from live_sessions
        where project_id = any(array(${allProjectsOf(organizationId)})) and status = 'running' and id is distinct from ${except}::uuid
    ) as taken`.execute(db);
  const of = (name: keyof Sums): number => Number(rows[0]?.[name] ?? 0);
  const amount = (scope: 'organization' | 'project', what: 'used' | 'reserved'): Amount => ({
    ms: of(`${scope}_${what}_ms`),
    micros: of(`${scope}_${what}_micros`),
  });
  const taken = (what: 'used' | 'reserved'): AmountByScope => ({
    organization: amount('organization', what),
    project: amount('project', what),
  });
  const funds = rows[0]?.funds ?? null;
  return { used: taken('used'), reserved: taken('reserved'), funds: funds === null ? null : Number(funds) };
}
