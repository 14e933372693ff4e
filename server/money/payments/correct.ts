import type { Services } from '../../platform/context.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { recordAudit, operatorAct } from '../../tenancy/audit/log.ts';
import { toUsd } from '../usage/prices.ts';
import { availableMicros, postEntry, lockAccount } from '../ledger/accounts.ts';
import { scheduleAutopay } from '../ledger/schedule.ts';
import { hold } from './holds.ts';

/** A correction or a credit by the operator. */
export interface Correction {
  organizationId: string;
  kind: 'correction' | 'credit';
  /** Positive if it raises the balance, as every credit does. */
  micros: number;
  /** The operator's name for it, such as a ticket number. Entering the same reference again changes nothing. */
  reference: string;
  /** Shown to the organization among its transactions. */
  description: string;
}

/** The entry with a reference. */
export interface Corrected {
  /** False if it was entered before; `micros` and `at` are then those of that entry. */
  isNew: boolean;
  micros: number;
  at: Date;
  /** The present balance less unposted usage. */
  leftMicros: number;
}

/**
 * Enters a correction or credit, once for each kind and reference, and writes the audit log. A correction that lowers
 * the balance holds autopay if that is on, which would charge the amount back, as for a refund.
 * @returns undefined if the organization is gone
 * @throws RangeError for an invalid amount or a negative credit
 */
export async function enterCorrection(
  services: Pick<Services, 'db' | 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>,
  { organizationId, kind, micros, reference, description }: Correction,
): Promise<Corrected | undefined> {
  if (!Number.isSafeInteger(micros) || micros === 0) throw new RangeError('The amount must be whole micro-USD, not 0.');
  if (kind === 'credit' && micros < 0) throw new RangeError('A credit must be above 0; enter a correction.');
  return services.db.transaction().execute(async (trx) => {
    const account = await lockAccount(trx, organizationId);
    if (account === undefined) return undefined;
    const at = await databaseNow(trx, services.clock);
    const cause = `${kind}:${organizationId}:${reference}`;
    const isNew = await postEntry(trx, { organizationId, kind, micros, cause, description, at });
    if (isNew) {
      await recordAudit(trx, operatorAct(at), {
        organizationId,
        action: kind === 'credit' ? 'credit.entered' : 'correction.entered',
        subject: 'Billing',
        detail: `${toUsd(micros)} USD, ${reference}: ${description}`,
      });
      if (micros < 0 && account.autopay_enabled)
        await hold(trx, services, { ...account, kind: 'payment' }, { cause, why: 'refunded' });
      await scheduleAutopay(trx, organizationId, at);
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
