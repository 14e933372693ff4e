/** Refusals by limits and by the balance, in the public API's words if it has some. */
import type { LimitName } from '#contract/limits.ts';
import { Refusal } from '../../platform/refusal.ts';

export type Scope = 'organization' | 'project';

const count = (value: number): string => value.toLocaleString('en');

const WORDS: Readonly<Record<LimitName, (scope: Scope, value: number) => string>> = {
  requests_per_minute: (scope) => `Rate limit for your ${scope} has been exceeded.`,
  concurrent_streams: (scope) => `Your ${scope} has exceeded max number of concurrent requests.`,
  waiting_jobs: (scope, value) =>
    `This ${scope} has ${count(value)} pending transcriptions, the most there can be. Wait until some of them have ended.`,
  stored_bytes: (scope, value) =>
    `The files of this ${scope} may have ${count(value)} bytes together. Delete some of them.`,
  audio_minutes: (scope, value) =>
    `This needs more than is left of this month's audio minutes (${count(value)}) of this ${scope}.`,
  budget_micros: (scope) =>
    scope === 'organization'
      ? 'Organization monthly budget exhausted. Please increase it.'
      : 'Project monthly budget exhausted. Please increase it.',
};

/** A request that a limit refuses. */
export class LimitReached extends Refusal {
  readonly scope: Scope;
  readonly isBudget: boolean;
  /** @param waitMs time until the next request may begin; null if waiting alone does not help */
  constructor(name: LimitName, scope: Scope, value: number, waitMs: number | null = null) {
    const isBudget = name === 'budget_micros';
    super(
      isBudget ? 'unpaid' : 'limit',
      isBudget ? `${scope}_monthly_budget_exhausted` : 'limit_exceeded',
      WORDS[name](scope, value),
      { limit: { name, of: scope }, retryAfterS: waitMs === null ? undefined : waitMs / 1000 },
    );
    this.name = 'LimitReached';
    this.scope = scope;
    this.isBudget = isBudget;
  }
}

/** A request that the organization's balance does not cover. */
export class BalanceExhausted extends Refusal {
  /** Cost of the least that the request needs, without other reservations, micro-USD. */
  readonly wantedMicros: number;
  constructor(wantedMicros: number) {
    super(
      'unpaid',
      'organization_balance_exhausted',
      'Organization balance exhausted. Please either add funds manually or enable autopay.',
      { limit: { name: 'balance', of: 'organization' } },
    );
    this.name = 'BalanceExhausted';
    this.wantedMicros = wantedMicros;
  }
}
