/** What holds of the limits of an organization and of a project: what was set, within what is above it. */
import { sql } from 'kysely';
import { LIMITS, type LimitName } from '#contract/limits.ts';
import type { Db } from '../../platform/db/database.ts';
import type { LimitDefaults } from './defaults.ts';

/** Null for no bound. */
export interface Bound {
  own: number | null;
  maximum: number | null;
  /** The lower of both. */
  value: number | null;
}
export type Bounds = Readonly<Record<LimitName, Bound>>;

/** Whose limits: an organization's, or those of a project of it too. */
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

/** Of no project, `project` holds what is above it. */
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

/** Whether a value is more than a bound lets through. */
export const isAbove = (value: number | null, bound: number | null): boolean =>
  bound !== null && (value === null || value > bound);

export const isLimitName = (text: string): text is LimitName => (LIMITS as readonly string[]).includes(text);
