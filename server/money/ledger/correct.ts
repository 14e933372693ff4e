import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { note, operatorAct } from '../../tenancy/audit/log.ts';
import { toUsd } from '../usage/prices.ts';
import { availableMicros, enter, lockAccount } from './accounts.ts';
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

/** What was entered under a reference. */
export interface Corrected {
  /** False where it was entered before: the rest is what was entered then. */
  isNew: boolean;
  micros: number;
  at: Date;
  /** What is left now, as the console says. */
  leftMicros: number;
}

/**
 * Enters what the operator puts right, once for each kind and reference, and notes it in the organization's audit log. Autopay looks at
 * the balance, as after any change.
 * @returns undefined where the organization is gone
 * @throws RangeError for an amount that is none, or a credit that takes
 */
export async function enterCorrection(
  db: Db,
  { organizationId, kind, micros, reference, description }: Correction,
  clock: () => Date,
): Promise<Corrected | undefined> {
  if (!Number.isSafeInteger(micros) || micros === 0) throw new RangeError('The amount must be whole micro-USD, not 0.');
  if (kind === 'credit' && micros < 0) throw new RangeError('A credit must be above 0; enter a correction.');
  return db.transaction().execute(async (trx) => {
    if ((await lockAccount(trx, organizationId)) === undefined) return undefined;
    const at = await databaseNow(trx, clock);
    const cause = `${kind}:${organizationId}:${reference}`;
    const isNew = await enter(trx, { organizationId, kind, micros, cause, description, at });
    if (isNew) {
      await note(trx, operatorAct(at), {
        organizationId,
        action: kind === 'credit' ? 'credit.entered' : 'correction.entered',
        subject: 'Billing',
        detail: `${toUsd(micros)} USD, ${reference}: ${description}`,
      });
      await armAutopay(trx, organizationId, at);
    }
    const entered = await trx
      .selectFrom('ledger_entries')
      .select(['amount_micros', 'at'])
      .where('cause', '=', cause)
      .executeTakeFirstOrThrow();
    const leftMicros = (await availableMicros(trx, organizationId)) ?? 0;
    return { isNew, micros: entered.amount_micros, at: entered.at, leftMicros };
  });
}
