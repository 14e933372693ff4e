/** Refusals by limits and by the balance. */
import type { LimitName } from '#contract/limits.ts';

export type Scope = 'organization' | 'project';

/** A request that a limit refuses. */
export class LimitReached extends Error {
  readonly limit: LimitName;
  readonly scope: Scope;
  readonly value: number;
  /** Time until the next request may begin, milliseconds; null if waiting alone does not help. */
  readonly waitMs: number | null;
  constructor(limit: LimitName, scope: Scope, value: number, waitMs: number | null = null) {
    super(`${limit} of the ${scope} is reached`);
    this.name = 'LimitReached';
    this.limit = limit;
    this.scope = scope;
    this.value = value;
    this.waitMs = waitMs;
  }
}

/** A request that the organization's balance does not cover. */
export class BalanceExhausted extends Error {
  /** Cost of the least that the request needs, without other reservations, micro-USD. */
  readonly wantedMicros: number;
  constructor(wantedMicros: number) {
    super('the balance of the organization is exhausted');
    this.name = 'BalanceExhausted';
    this.wantedMicros = wantedMicros;
  }
}
