import type { Db } from '../../platform/db/database.ts';
import { reachedScope } from './admission.ts';
import { readBounds } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { readMonth } from './month.ts';

/** Whether an organization has used up its budget of the month. What unfinished requests reserve may come back. */
export async function isBudgetReached(
  db: Db,
  organizationId: string,
  limitDefaults: LimitDefaults,
  now: Date,
): Promise<boolean> {
  const place = { organizationId, projectId: null };
  const { organization } = await readBounds(db, place, limitDefaults);
  const budget = organization.budget_micros.value;
  if (budget === null) return false;
  const { used } = await readMonth(db, place, now);
  const taken = { organization: used.organization.micros, project: 0 };
  return reachedScope(taken, { organization: budget, project: null }) !== undefined;
}
