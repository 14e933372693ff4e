import type { Db } from '../../platform/db/database.ts';
import { enter, lockAccount } from './accounts.ts';
import { armAutopay } from './arm.ts';

/** Something that the operator puts right by hand, or gives. */
export interface Correction {
  organizationId: string;
  kind: 'correction' | 'credit';
  /** Signed: what raises the balance is above zero. A credit is always. */
  micros: number;
  /** The operator's own name for it, such as the number of a ticket: the same again changes nothing. */
  reference: string;
  /** For people: the organization reads it among its transactions. */
  description: string;
}

/**
 * Enters what the operator puts right, once. Autopay looks at the balance, as after any change.
 * @returns false where it was entered before, or the organization is gone
 * @throws RangeError for an amount that is none, or a credit that takes
 */
export async function enterCorrection(
  db: Db,
  { organizationId, kind, micros, reference, description }: Correction,
  now: Date,
): Promise<boolean> {
  if (!Number.isSafeInteger(micros) || micros === 0) throw new RangeError('The amount must be whole micro-USD, not 0.');
  if (kind === 'credit' && micros < 0) throw new RangeError('A credit must be above 0; enter a correction.');
  return db.transaction().execute(async (trx) => {
    if ((await lockAccount(trx, organizationId)) === undefined) return false;
    const cause = `${kind}:${organizationId}:${reference}`;
    const isNew = await enter(trx, { organizationId, kind, micros, cause, description, at: now });
    if (isNew) await armAutopay(trx, organizationId, now);
    return isNew;
  });
}
