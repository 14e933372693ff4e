/** What is refused, and by which limit. */
import type { LimitName } from '#contract/limits.ts';

export type Scope = 'organization' | 'project';

/** A request that a limit refuses. */
export class LimitReached extends Error {
  readonly limit: LimitName;
  readonly scope: Scope;
  readonly value: number;
  /** Until the next request may begin, milliseconds; null where waiting alone does not help. */
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

/** A request of an organization that has nothing left of its balance, or less than the request needs. */
export class BalanceExhausted extends Error {
  /** What it needs, micro-USD, whatever is reserved for others. */
  readonly wantedMicros: number;
  constructor(wantedMicros: number) {
    super('the balance of the organization is exhausted');
    this.name = 'BalanceExhausted';
    this.wantedMicros = wantedMicros;
  }
}
