import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { readBounds } from '#server/money/limits/bounds.ts';
import { readMonth } from '#server/money/limits/month.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { Step } from './steps.ts';

/** Steps that only take what there is room for, or give back what they have not used. */
const ADMITTED: ReadonlySet<Step['do']> = new Set(['begin', 'grow', 'finish']);

/** Whether nothing but admissions happens, so that what is left says what they have taken. */
export const areAdmissions = (steps: readonly Step[]): boolean => steps.every(({ do: does }) => ADMITTED.has(does));

/** What is left of a balance and of each budget beside what is used and reserved, micro-USD, by what it is called. */
export async function roomOf(
  db: Db,
  { organizationId, projects }: { organizationId: string; projects: readonly string[] },
  now: Date,
): Promise<Map<string, number>> {
  const room = new Map<string, number>();
  for (const projectId of projects) {
    const place = { organizationId, projectId };
    const { used, reserved, funds } = await readMonth(db, place, now);
    const bounds = await readBounds(db, place, LIMIT_DEFAULTS);
    if (funds !== null) room.set('balance', funds - reserved.organization.micros);
    for (const scope of ['organization', 'project'] as const) {
      const { value } = bounds[scope].budget_micros;
      const name = `budget of the ${scope}${scope === 'project' ? ` ${projectId}` : ''}`;
      if (value !== null) room.set(name, value - used[scope].micros - reserved[scope].micros);
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
