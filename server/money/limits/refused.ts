/** Acts on a refusal after its transaction is rolled back: alerts people, or charges by autopay. */
import type { Services } from '../../platform/context.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { wantFunds } from '../ledger/schedule.ts';
import { placeOf } from './admission.ts';
import { alertBudget, alertProjectBudget } from './alerts.ts';
import type { LimitDefaults } from './defaults.ts';
import { BalanceExhausted, LimitReached, type Scope } from './errors.ts';

type Parts = Pick<Services, 'db' | 'clock' | 'log'> & { limitDefaults: LimitDefaults };

/**
 * Runs `work`. If a budget refuses it, mails an alert to the people of that budget; if the balance does, lets autopay
 * charge. Both happen in a transaction of their own, so do not call this within a transaction.
 * @throws the error of `work`
 */
export async function followingUpRefusals<T>(parts: Parts, projectId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await followUp(parts, projectId, error).catch((failure: unknown) =>
      parts.log.warn({ err: failure, project: projectId }, 'the alert or charge after a refused request failed'),
    );
    throw error;
  }
}

async function followUp(parts: Parts, projectId: string, error: unknown): Promise<void> {
  if (error instanceof LimitReached && error.isBudget) return alertRefused(parts, projectId, error.scope);
  if (!(error instanceof BalanceExhausted)) return;
  const place = await placeOf(parts.db, projectId);
  if (place !== undefined) await wantFunds(parts.db, place.organizationId, error.wantedMicros, parts.clock);
}

const alertRefused = ({ db, clock, limitDefaults }: Parts, projectId: string, scope: Scope): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const place = await placeOf(trx, projectId);
    if (place === undefined) return;
    const now = await databaseNow(trx, clock);
    if (scope === 'project') await alertProjectBudget(trx, place, now, true);
    else await alertBudget(trx, place.organizationId, limitDefaults, now, true);
  });
