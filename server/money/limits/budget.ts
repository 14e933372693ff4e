import type { Db } from '../../platform/db/database.ts';
import { reachedScope } from './admission.ts';
import { readBounds } from './bounds.ts';
import { LIMIT_DEFAULTS } from './defaults.ts';
import { readMonth } from './month.ts';

/** Whether an organization has reached its budget of the month, so that the server refuses new requests. */
export async function isBudgetReached(db: Db, organizationId: string, now: Date): Promise<boolean> {
  const place = { organizationId, projectId: null };
  const { organization } = await readBounds(db, place, LIMIT_DEFAULTS);
  const budget = organization.budget_micros.value;
  if (budget === null) return false;
  const { used, reserved } = await readMonth(db, place, now);
  const taken = used.organization.micros + reserved.organization.micros;
  return reachedScope({ organization: taken, project: 0 }, { organization: budget, project: null }) !== undefined;
}
