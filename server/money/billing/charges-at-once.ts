import type { PaymentStatus } from '#contract/paying.ts';
import type { Db } from '../../platform/db/database.ts';
import { unpostedMicros, type Account } from '../ledger/accounts.ts';
import { AUTOPAY as MOVES, autopayState } from '../ledger/autopay-life.ts';
import { ORDERED, waitingStates } from '../ledger/life.ts';
import { isUnderWay, neededMicros } from '../ledger/schedule.ts';
import { openHolds } from '../payments/stop.ts';
import { hasPrices } from '../usage/price-lists.ts';

/** What autopay charges at once if it is saved, or if another payment method is stored: the forms say so before. */
export async function chargesAtOnce(
  db: Db,
  account: Account,
  now: Date,
): Promise<Pick<PaymentStatus, 'balance_at_save_micros' | 'charge_at_method_micros'>> {
  const { crossed, method } = MOVES[autopayState(account)];
  const { customer_id, method_id, organization_id } = account;
  const mayCharge = customer_id !== null && method_id !== null && (await hasPrices(db, now));
  // While autopay is off, a refused charge is only looked for. Once autopay is on, it or another one is made.
  const delays = { evenRefused: account.autopay_enabled };
  const followsSave =
    mayCharge && crossed !== undefined && !(await isUnderWay(db, organization_id, waitingStates('autopay'), delays));
  // A method ends a decline, and the wait for the next try. Whether it ends a hold depends on the method.
  const followsMethod =
    mayCharge &&
    method === 'next' &&
    (await openHolds(db, organization_id)).length === 0 &&
    !(await isUnderWay(db, organization_id, ORDERED));
  return {
    balance_at_save_micros: followsSave ? account.balance_micros - (await unpostedMicros(db, organization_id)) : null,
    charge_at_method_micros: followsMethod ? ((await neededMicros(db, account, now)) ?? null) : null,
  };
}
