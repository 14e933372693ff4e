import type { Db } from '../../platform/db/database.ts';
import { hasPrices } from '../usage/price-lists.ts';
import { availableMicros } from './accounts.ts';

/** Words of the public API for an organization that has nothing left. */
export const EXHAUSTED = 'Organization balance exhausted. Please either add funds manually or enable autopay.';

/**
 * Whether a project may start a request: its organization has something left, or a charge of autopay is on its way that lifts the
 * balance above zero. Where nothing has a price everything may. Asked at admission, so that what runs goes on to its end.
 */
export async function mayStart(db: Db, projectId: string, now: Date): Promise<boolean> {
  if (!(await hasPrices(db, now))) return true;
  const project = await db
    .selectFrom('projects')
    .select('organization_id')
    .where('id', '=', projectId)
    .executeTakeFirst();
  return project === undefined || !(await isExhausted(db, project.organization_id));
}

/** Whether nothing is left and nothing is on its way. False for an organization that is gone. */
export async function isExhausted(db: Db, organizationId: string): Promise<boolean> {
  const left = await availableMicros(db, organizationId);
  if (left === undefined || left > 0) return false;
  return left + (await comingMicros(db, organizationId)) <= 0;
}

/** A charge that was never declined, and whose outcome is not known. */
async function comingMicros(db: Db, organizationId: string): Promise<number> {
  const charge = await db
    .selectFrom('payments')
    .innerJoin('accounts', 'accounts.organization_id', 'payments.organization_id')
    .select('payments.amount_micros')
    .where('payments.organization_id', '=', organizationId)
    .where('payments.kind', '=', 'autopay')
    .where('payments.state', 'in', ['due', 'sent'])
    .where('payments.refusal', 'is', null)
    .where('accounts.error_message', 'is', null)
    .where('accounts.autopay_enabled', '=', true)
    .executeTakeFirst();
  return charge?.amount_micros ?? 0;
}
