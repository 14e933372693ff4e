/** The limits in force for an organization and a project: each one's own value, capped by the maximum from above. */
import { sql } from 'kysely';
import { LIMITS, type LimitName } from '#contract/limits.ts';
import type { Db } from '../../platform/db/database.ts';
import type { LimitDefaults } from './defaults.ts';

/** Null for no bound. */
export interface Bound {
  /** The value that was set at this level. */
  own: number | null;
  /** The cap from above: the operator's for an organization, the organization's for a project. */
  maximum: number | null;
  /** The lower of both. */
  value: number | null;
}
export type Bounds = Readonly<Record<LimitName, Bound>>;

/** An organization, or one of its projects. */
export interface Place {
  organizationId: string;
  projectId: string | null;
}

interface Row {
  name: LimitName;
  is_granted: boolean;
  granted: number | null;
  own: number | null;
  is_project: boolean;
}

/** Reads the limits of both levels. Without a project, `project` has the organization's values. */
export async function readBounds(
  db: Db,
  { organizationId, projectId }: Place,
  defaults: LimitDefaults,
): Promise<{ organization: Bounds; project: Bounds }> {
  const { rows } = await sql<Row>`
    select name, is_granted, granted, own, false as is_project from organization_limits where organization_id = ${organizationId}
    union all select name, false, null, own, true from project_limits where project_id = ${projectId}`.execute(db);
  const find = (name: LimitName, isProject: boolean): Row | undefined =>
    rows.find((row) => row.name === name && row.is_project === isProject);
  const organization = boundsOf((name) => {
    const row = find(name, false);
    return [row?.own ?? null, row?.is_granted === true ? row.granted : defaults[name]];
  });
  const project = boundsOf((name) => [find(name, true)?.own ?? null, organization[name].value]);
  return { organization, project };
}

function boundsOf(read: (name: LimitName) => readonly [own: number | null, maximum: number | null]): Bounds {
  const bound = (name: LimitName): Bound => {
    const [own, maximum] = read(name);
    return { own, maximum, value: own === null ? maximum : maximum === null ? own : Math.min(own, maximum) };
  };
  return {
    requests_per_minute: bound('requests_per_minute'),
    concurrent_streams: bound('concurrent_streams'),
    waiting_jobs: bound('waiting_jobs'),
    stored_bytes: bound('stored_bytes'),
    audio_minutes: bound('audio_minutes'),
    budget_micros: bound('budget_micros'),
  };
}

/** Whether a value exceeds a bound. Null is no bound, so it exceeds every number. */
export const isAbove = (value: number | null, bound: number | null): boolean =>
  bound !== null && (value === null || value > bound);

export const isLimitName = (text: string): text is LimitName => (LIMITS as readonly string[]).includes(text);
