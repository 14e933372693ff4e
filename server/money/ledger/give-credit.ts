import { randomUUID } from 'node:crypto';
import type { Db } from '../../platform/db/database.ts';
import { enter, lockAccount } from './accounts.ts';
import { armAutopay } from './arm.ts';

/**
 * Gives an organization credit, as one entry of its ledger.
 * @param micros micro-USD, above zero @returns the balance after it, usage of days that are not posted aside; undefined when there is no such organization
 */
export async function giveCredit(
  db: Db,
  { organizationId, micros, reason, at }: { organizationId: string; micros: number; reason: string; at: Date },
): Promise<number | undefined> {
  return db.transaction().execute(async (trx) => {
    if ((await lockAccount(trx, organizationId)) === undefined) return undefined;
    await enter(trx, {
      organizationId,
      kind: 'credit',
      micros,
      cause: `credit:operator:${randomUUID()}`,
      description: reason,
      at,
    });
    await armAutopay(trx, organizationId, at);
    return (await lockAccount(trx, organizationId))?.balance_micros;
  });
}
