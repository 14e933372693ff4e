import { compareAll } from '#server/money/usage/rebuild.ts';
import { readCost } from '#server/money/usage/report.ts';
import type { Db } from '#server/platform/db/database.ts';
import { accountOf, entriesOf, paymentsOf } from '../books.ts';
import { certainCauses } from './proof.ts';
import type { Tenant } from './tenant.ts';

/** Longer than any world. */
const PERIOD = { start_date: '2026-01-01', end_date: '2035-12-31', period: 'monthly' } as const;

/** The balance is what moved, reports tell of all, and no charge is left without an end. @param db of one who never ends @throws Error */
export async function proveEnds(db: Db, tenant: Tenant, now: Date): Promise<void> {
  const { organizationId, userId } = tenant.user;
  const entries = await entriesOf(db, organizationId);
  const balance = (await accountOf(db, organizationId))?.balance_micros;
  const moved = [...certainCauses(tenant.happened, entries).values()].reduce((sum, micros) => sum + micros, 0);
  const used = tenant.happened.requests.reduce((sum, { end }) => sum + (end.cost_micros ?? 0), 0);
  if (balance !== moved - used) throw new Error(`The balance is ${balance}, and should be ${moved} - ${used}.`);
  const funds = (await tenant.room()).get('balance');
  if (funds !== balance) throw new Error(`Of ${balance}, ${funds} is free: something is reserved for good.`);
  const report = await readCost(db, { organizationId, userId }, PERIOD, now);
  if ((report.totals.cost_micros ?? 0) !== used)
    throw new Error(`The report says ${report.totals.cost_micros}, and ${used} was used.`);
  const months = await compareAll(db);
  if (months.length > 0) throw new Error(`Reports would differ from their rows: ${JSON.stringify(months)}`);
  const payments = await paymentsOf(db, organizationId);
  const left = payments.filter(({ state }) => state === 'due' || state === 'sent');
  if (left.length > 0) throw new Error(`Charges have no end: ${JSON.stringify(left)}`);
}
