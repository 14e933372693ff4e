/**
 * Tells whether an expired lease means that its process is dead. While the database is away, nobody can renew a lease;
 * so for one lease time afterwards, expired leases may belong to live processes.
 */
export class Grace {
  readonly #leaseMs: number;
  #wasAway = false;
  #until = 0;

  constructor(leaseMs: number) {
    this.#leaseMs = leaseMs;
  }

  /** Call it when the database did not answer. */
  failed(): void {
    this.#wasAway = true;
  }

  /** Call it each time before judging leases. @param now by the leases' clock; if it was set back, the grace is over */
  isOver(now: Date): boolean {
    if (this.#wasAway) this.#until = now.getTime() + this.#leaseMs;
    this.#wasAway = false;
    const left = this.#until - now.getTime();
    return left <= 0 || left > this.#leaseMs;
  }
}
