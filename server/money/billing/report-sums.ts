/** What the reports have in common: the sums of a span, by project, and how pages of them are read. */
import { sql, type RawBuilder } from 'kysely';
import type { BillingReport } from '#contract/billing.ts';
import type { UsagePeriod } from '#contract/usage.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Db } from '../../platform/db/database.ts';
import { readProjects } from './projects.ts';

const DAY_MS = 86_400_000;

/** The only billed service. */
export const SERVICE = 'transcription';

export interface Scope {
  organizationId: string;
  /** Undefined or empty for all projects. */
  project_ids?: readonly string[] | undefined;
  /** Start, included. */
  from: Date;
  /** End, not included. */
  to: Date;
  period: UsagePeriod;
  /** If set, queries also sum up the use before this day, in columns `past_…`. */
  over?: Date;
}

/** The span from the first day to the end of the last. */
export const spanOf = ({
  start_date,
  end_date,
}: {
  start_date: string;
  end_date: string;
}): Pick<Scope, 'from' | 'to'> => ({
  from: new Date(Date.parse(start_date)),
  to: new Date(Date.parse(end_date) + DAY_MS),
});

export type Figures = BillingReport['totals'];

export type Project = Pick<BillingReport['series'][number], 'project_uuid' | 'project_name' | 'is_deleted'>;
/** The part of a row's figures that lies on days that were over when its sheet was begun. */
export type Past = Record<`past_${keyof Figures}`, number>;
export const PAST = sql`past_requests, past_audio_ms, past_cost_micros`;

export const tooLarge = (most: number, what: string, help: string): Refusal =>
  new Refusal('invalid', 'report_too_large', `This is more than ${most.toLocaleString('en')} ${what}. ${help}`);

export const dayOf = (now: Date): Date => new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);

/**
 * Passes pages on, which are read at different moments, and checks them at the end: the figures of days that were over
 * at the beginning must not have changed.
 * @throws if they have, or if the organization is gone
 */
export async function* addingUp<R extends Past>(db: Db, scope: Scope, pages: AsyncIterable<readonly R[]>) {
  const requireOrganization = async (): Promise<void> => {
    const { organizationId: id } = scope;
    if (!(await db.selectFrom('organizations').select('id').where('id', '=', id).executeTakeFirst()))
      throw new Error('The organization was deleted while its sheet was read.');
  };
  const read: Past = { past_requests: 0, past_audio_ms: 0, past_cost_micros: 0 };
  const add = (row: Past): void => {
    read.past_requests += row.past_requests;
    read.past_audio_ms += row.past_audio_ms;
    read.past_cost_micros += row.past_cost_micros;
  };
  for await (const page of pages) {
    for (const row of page) add(row);
    await requireOrganization();
    yield page;
  }
  const to = scope.over !== undefined && scope.over < scope.to ? scope.over : scope.to;
  const { rows } = await sql<Past>`${sumsOf({ ...scope, to }, [stepOf(scope.period)])}
    select coalesce(sum(past_requests), 0)::bigint as past_requests, coalesce(sum(past_audio_ms), 0)::bigint as past_audio_ms,
      coalesce(sum(past_cost_micros), 0)::bigint as past_cost_micros from sums where requests > 0`.execute(db);
  await requireOrganization();
  for (const { past_requests, past_audio_ms, past_cost_micros } of rows)
    if (
      past_requests !== read.past_requests ||
      past_audio_ms !== read.past_audio_ms ||
      past_cost_micros !== read.past_cost_micros
    )
      throw new Error('What was used on days that were over has changed while the sheet was read.');
}

/** Projects in pages, fixed before reading: so no row comes twice, even if projects are renamed meanwhile. */
export async function pagesOf(
  db: Db,
  organizationId: string,
  { only = [], size }: { only?: readonly string[] | undefined; size: number },
) {
  const all = (await readProjects(db, organizationId)).map(({ uuid }) => uuid);
  const wanted = new Set(only);
  const ids = wanted.size === 0 ? all : all.filter((id) => wanted.has(id));
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, page) => ids.slice(page * size, (page + 1) * size));
}

/**
 * SQL with `named`, the projects including deleted ones, and `sums`, one row for each project and value of the keys.
 * Adds up before joining names, because a year has many rows. Passes projects as an array, so that each is searched in
 * the index.
 */
export const sumsOf = (scope: Scope, keys: readonly { name: string; of: RawBuilder<unknown> }[]): RawBuilder<unknown> =>
  sql`with ${namedOf(scope)}, sums as (
      select used.project_id, ${sql.join(keys.map(({ name, of }) => sql`${of} as ${sql.ref(name)}`))}, sum(used.requests)::bigint as requests,
        sum(used.audio_ms)::bigint as audio_ms, sum(used.cost_micros)::bigint as cost_micros ${pastOf(scope)}
      from ${rollupOf(scope)} as used
      where used.project_id = any(array(select id from named)) and used.step >= ${scope.from} and used.step < ${scope.to}
      group by used.project_id, ${sql.join(keys.map(({ of }) => of))}
    )`;

const pastOf = ({ over }: Scope): RawBuilder<unknown> => {
  if (over === undefined) return sql``;
  const past = (name: string): RawBuilder<unknown> =>
    sql`coalesce(sum(used.${sql.ref(name)}) filter (where used.step < ${over}), 0)::bigint as ${sql.ref(`past_${name}`)}`;
  return sql`, ${sql.join(['requests', 'audio_ms', 'cost_micros'].map(past))}`;
};

export const namedOf = ({ organizationId, project_ids = [] }: Scope): RawBuilder<unknown> =>
  sql`named as (
      select id, name, is_deleted from (
        select id, name, false as is_deleted, organization_id from projects
        union all select id, name, true, organization_id from deleted_projects
      ) as every
      where organization_id = ${organizationId} and (${project_ids.length === 0} or id = any(${[...project_ids]}::uuid[]))
    )`;

export const rollupOf = ({ period }: Scope): RawBuilder<unknown> =>
  sql.table(period === 'hourly' ? 'usage_hourly' : 'usage_daily');

export const stepOf = (period: UsagePeriod) => ({
  name: 'step',
  of: period === 'monthly' ? sql`date_trunc('month', used.step, 'UTC')` : sql`used.step`,
});
