/** A client that sends no audio for this long after a finalize has sent all of the last word; it sends small pieces. */
const QUIET_MS = 300;
/** The same at most, for a client that sends large pieces. After a longer gap between two pieces it had paused. */
const QUIET_MAX_MS = 1500;
/** How long a gap counts. */
const RECENT_MS = 3000;

/** Learns from the gaps between a stream's pieces of audio how long its client may send none and not be silent. */
export class Cadence {
  #lastAt: number | null = null;
  #gaps: { at: number; ms: number }[] = [];

  /** A piece has come, at this time in ms. */
  heard(at: number): void {
    const ms = at - (this.#lastAt ?? at);
    this.#lastAt = at;
    this.#gaps = this.#gaps.filter((gap) => at - gap.at < RECENT_MS);
    // Smaller gaps lengthen nothing.
    if (ms > QUIET_MS / 2 && ms <= QUIET_MAX_MS) this.#gaps.push({ at, ms });
  }

  /** Twice the longest recent gap, between 0.3 s and 1.5 s. */
  get quietMs(): number {
    return Math.min(QUIET_MAX_MS, Math.max(QUIET_MS, ...this.#gaps.map(({ ms }) => 2 * ms)));
  }
}
