/** The payment error: what keeps autopay from charging. */
import { createHash } from 'node:crypto';
import type { PaymentError } from '#contract/payment-errors.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Account } from '../ledger/accounts.ts';
import { statesAfter, UNASKED } from '../ledger/life.ts';
import { autopayState, isHold, isStopped } from '../ledger/autopay-life.ts';
import { MESSAGES, openHolds } from '../payments/stop.ts';

/** The error to show. Holds are shown only while autopay is on. */
export async function errorOf(db: Db, account: Account): Promise<PaymentError | null> {
  const { organization_id, error_message: message, error_at } = account;
  const why = autopayState(account);
  if (!isStopped(why) || message === null || error_at === null) return null;
  if (isHold(why) && !account.autopay_enabled) return null;
  const next = await db
    .selectFrom('payments')
    .select('run_at')
    .where('organization_id', '=', organization_id)
    .where('kind', '=', 'autopay')
    .where('state', 'in', UNASKED)
    .executeTakeFirst();
  const declined = await db
    .selectFrom('payments')
    .select('amount_micros')
    .where('organization_id', '=', organization_id)
    .where('kind', '=', 'autopay')
    .where('state', 'in', statesAfter('autopay', 'declined'))
    .orderBy('position', 'desc')
    .executeTakeFirst();
  const holds = await openHolds(db, organization_id);
  // The first hold is the account's own error, unless an earlier version has stored that without a row.
  const others = holds[0]?.why === why ? holds.slice(1) : holds;
  return {
    why,
    message,
    at: error_at.toISOString(),
    amount_micros: why === 'declined' ? (declined?.amount_micros ?? null) : null,
    // While autopay is held, a charge that waits is only looked for.
    next_try_at: isHold(why) ? null : (next?.run_at.toISOString() ?? null),
    others: others.map((hold) => ({ message: MESSAGES[hold.why], at: hold.since.toISOString() })),
    version: hashOf(account, holds),
  };
}

/** A version that changes with every reason that keeps autopay from charging, even one that is not shown. */
export const versionOf = async (db: Db, account: Account): Promise<string> =>
  hashOf(account, await openHolds(db, account.organization_id));

/** @param holds all that are open */
export const hashOf = (
  { error_why, error_at }: Pick<Account, 'error_why' | 'error_at'>,
  holds: Awaited<ReturnType<typeof openHolds>>,
): string =>
  createHash('sha256')
    .update(JSON.stringify([error_why, error_at, holds]))
    .digest('base64url')
    .slice(0, 22);
