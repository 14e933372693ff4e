import type { ReachedLimit } from '#contract/errors.ts';
import { ApiProblem, limitReached, tooManyRequests } from '../http/errors.ts';
import { BalanceExhausted, LimitReached } from '../money/limits/errors.ts';
import { EXHAUSTED } from '../money/ledger/admission.ts';
import { balanceExhausted } from './balance.ts';

const count = (value: number): string => value.toLocaleString('en');

/** The message for a reached limit: the public API's own words if it has some. */
export function wordsOf({ limit, scope, value }: LimitReached): string {
  switch (limit) {
    case 'requests_per_minute':
      return `Rate limit for your ${scope} has been exceeded.`;
    case 'concurrent_streams':
      return `Your ${scope} has exceeded max number of concurrent requests.`;
    case 'waiting_jobs':
      return `This ${scope} has ${count(value)} pending transcriptions, the most there can be. Wait until some of them have ended.`;
    case 'stored_bytes':
      return `The files of this ${scope} may have ${count(value)} bytes together. Delete some of them.`;
    case 'audio_minutes':
      return `This needs more than is left of this month's audio minutes (${count(value)}) of this ${scope}.`;
    case 'budget_micros':
      return scope === 'organization'
        ? 'Organization monthly budget exhausted. Please increase it.'
        : 'Project monthly budget exhausted. Please increase it.';
  }
}

/** The `error_type` of a used-up budget. */
export const budgetType = (scope: LimitReached['scope']): string => `${scope}_monthly_budget_exhausted`;

/** The failure of a running request that a limit or the balance ends; undefined for other errors. */
export function refusedBy(error: unknown): { type: string; message: string } | undefined {
  if (error instanceof BalanceExhausted) return { type: 'organization_balance_exhausted', message: EXHAUSTED };
  if (!(error instanceof LimitReached)) return undefined;
  const type = error.limit === 'budget_micros' ? budgetType(error.scope) : 'limit_exceeded';
  return { type, message: wordsOf(error) };
}

/** The limit in the shape of the contract. */
export const limitOf = ({ limit, scope }: LimitReached): ReachedLimit => ({ name: limit, of: scope });

/** Runs `work`, and turns refusals by limits and balance into answers of the REST API. @throws ApiProblem 402, 429 */
export async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof BalanceExhausted) throw balanceExhausted();
    throw error instanceof LimitReached ? problemOf(error) : error;
  }
}

function problemOf(reached: LimitReached): ApiProblem {
  const [words, limit] = [wordsOf(reached), limitOf(reached)];
  if (reached.limit === 'budget_micros') return new ApiProblem(402, budgetType(reached.scope), words, [], {}, limit);
  return reached.waitMs === null ? limitReached(words, limit) : tooManyRequests(reached.waitMs / 1000, words, limit);
}
