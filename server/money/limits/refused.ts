/** What follows from a refusal: what refuses is in a transaction that is undone. */
import type { Services } from '../../platform/context.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { wantFunds } from '../ledger/schedule.ts';
import { placeOf } from './admission.ts';
import { alertBudget, alertProjectBudget } from './alerts.ts';
import type { LimitDefaults } from './defaults.ts';
import { BalanceExhausted, LimitReached, type Scope } from './errors.ts';

type Parts = Pick<Services, 'db' | 'clock' | 'log'> & { limitDefaults: LimitDefaults };

/**
 * Does something that limits may refuse, in a transaction of its own: where a budget does, those whom it concerns are told, and where the
 * balance does, autopay may charge; in another one. Never within a transaction.
 * @throws what the work fails with
 */
export async function tellingRefusals<T>(parts: Parts, projectId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await follow(parts, projectId, error).catch((failure: unknown) =>
      parts.log.warn({ err: failure, project: projectId }, 'what follows from a refusal could not be done'),
    );
    throw error;
  }
}

async function follow(parts: Parts, projectId: string, error: unknown): Promise<void> {
  if (error instanceof LimitReached && error.limit === 'budget_micros')
    return alertRefused(parts, projectId, error.scope);
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
