/**
 * Whether silence is a sign of death. Where the database was away nobody could renew a lease: for as long as one lasts after
 * that, those that have run out may be of processes that live.
 */
export class Grace {
  readonly #leaseMs: number;
  #wasAway = false;
  #until = 0;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** The database could not be asked. */
  failed(): void {
    this.#wasAway = true;
  }

  /** Asked each time that leases are looked at. @param now by the clock that they go by; one that was ahead keeps nothing waiting */
  isOver(now: Date): boolean {
    if (this.#wasAway) this.#until = now.getTime() + this.#leaseMs;
    this.#wasAway = false;
    const left = this.#until - now.getTime();
    return left <= 0 || left > this.#leaseMs;
  }
}
