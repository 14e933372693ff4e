import { sql } from 'kysely';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { readBounds } from '#server/money/limits/bounds.ts';
import { readMonth } from '#server/money/limits/month.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { Step } from './steps.ts';

/** Steps that only take what there is room for, or give back what they have not used. */
const ADMITTED: ReadonlySet<Step['do']> = new Set(['begin', 'grow', 'finish', 'listen', 'hear', 'hang up', 'drop']);

/** Whether nothing but admissions happens, so that what is left says what they have taken. */
export const areAdmissions = (steps: readonly Step[]): boolean => steps.every(({ do: does }) => ADMITTED.has(does));

interface Taken {
  project_id: string;
  ms: number;
  micros: number;
  reserved_micros: number;
}

/** What each project has used in the month and reserved, by its requests themselves. */
async function takenOf(db: Db, organizationId: string, projects: readonly string[], now: Date): Promise<Taken[]> {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const { rows } = await sql<Record<keyof Taken, string>>`
    select project_id, sum(ms) as ms, sum(micros + reserved) as micros, sum(reserved) as reserved_micros from (
      select project_id, audio_ms as ms, coalesce(cost_micros, 0) as micros, 0 as reserved from usage_rows
        where organization_id = ${organizationId}
          and ended_at >= ${new Date(Date.UTC(year, month))} and ended_at < ${new Date(Date.UTC(year, month + 1))}
      union all select project_id, reserved_ms, 0, reserved_micros from transcriptions
        where project_id in (${sql.join(projects)}) and status in ('queued', 'processing')
      union all select project_id, reserved_ms, 0, reserved_micros from live_sessions
        where project_id in (${sql.join(projects)}) and status = 'running'
    ) as taken group by project_id`.execute(db);
  return rows.map(({ project_id, ms, micros, reserved_micros }) => ({
    ...{ project_id, ms: Number(ms), micros: Number(micros), reserved_micros: Number(reserved_micros) },
  }));
}

/** The limits of a month, and how much of what is taken their unit is. */
const LIMITS = [
  ['budget_micros', 'micros', 1],
  ['audio_minutes', 'ms', 60_000],
] as const;

/**
 * What nobody has used or reserved of a balance, of budgets and of minutes, by what it is called; micro-USD or milliseconds.
 * @param of `gone`: projects before, whose live sessions may still run
 */
export async function roomOf(
  db: Db,
  { organizationId, projects, gone }: { organizationId: string; projects: readonly string[]; gone: readonly string[] },
  now: Date,
): Promise<Map<string, number>> {
  const room = new Map<string, number>();
  const all = await takenOf(db, organizationId, [...projects, ...gone], now);
  const sum = (rows: readonly Taken[], of: 'ms' | 'micros' | 'reserved_micros'): number =>
    rows.reduce((total, row) => total + row[of], 0);
  const { funds } = await readMonth(db, { organizationId, projectId: null }, now);
  if (funds !== null) room.set('balance', funds - sum(all, 'reserved_micros'));
  for (const projectId of projects) {
    const bounds = await readBounds(db, { organizationId, projectId }, LIMIT_DEFAULTS);
    const own = all.filter(({ project_id }) => project_id === projectId);
    for (const scope of ['organization', 'project'] as const)
      for (const [name, what, unit] of LIMITS) {
        const { value } = bounds[scope][name];
        const of = `${name} of the ${scope}${scope === 'project' ? ` ${projectId}` : ''}`;
        if (value !== null) room.set(of, value * unit - sum(scope === 'project' ? own : all, what));
      }
  }
  return room;
}

/** What is admitted, also at once, never takes more than there is. @throws Error */
export function proveRoom(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): void {
  for (const [name, left] of after) {
    const was = before.get(name) ?? 0;
    if (left < Math.min(0, was)) throw new Error(`Of the ${name}, ${was} was left, and ${left} after admissions.`);
  }
}
