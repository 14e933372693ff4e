/** Budgets that refuse, told to those whom they concern: what refuses is in a transaction that is undone. */
import type { Services } from '../../platform/context.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { placeOf } from './admission.ts';
import { alertBudget, alertProjectBudget } from './alerts.ts';
import type { LimitDefaults } from './defaults.ts';
import { LimitReached, type Scope } from './errors.ts';

type Parts = Pick<Services, 'db' | 'clock' | 'log'> & { limitDefaults: LimitDefaults };

/**
 * Does something that limits may refuse, in a transaction of its own: where a budget does, an alert is written in another one. Never within a
 * transaction.
 * @throws what the work fails with
 */
export async function tellingOfBudgets<T>(parts: Parts, projectId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LimitReached && error.limit === 'budget_micros')
      await alertRefused(parts, projectId, error.scope).catch((failure: unknown) =>
        parts.log.warn({ err: failure, project: projectId }, 'that a budget has refused could not be told'),
      );
    throw error;
  }
}

const alertRefused = ({ db, clock, limitDefaults }: Parts, projectId: string, scope: Scope): Promise<void> =>
  db.transaction().execute(async (trx) => {
    const place = await placeOf(trx, projectId);
    if (place === undefined) return;
    const now = await databaseNow(trx, clock);
    if (scope === 'project') await alertProjectBudget(trx, place, now, true);
    else await alertBudget(trx, place.organizationId, limitDefaults, now, true);
  });
