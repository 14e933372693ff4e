import { inTime } from '../../platform/in-time.ts';
import type { Length } from '../../money/limits/grow.ts';
import { LEAST_MS } from '../../money/limits/reservations.ts';
import type { Log } from '../../platform/log.ts';
import { asRefusal, LiveRefusal, refusal } from './refusal.ts';

/** Sound that is reserved for a stream at a time, where there is so much, milliseconds. */
export const RESERVED_MS = 60_000;
/** How long a stream waits for more of it, where it has nothing left, milliseconds. */
const ANSWER_MS = 5000;
/**
 * Sound that a stream goes on for beyond what the database last said is reserved, milliseconds. A database that starts anew or hands over
 * to another is back sooner, and ends no stream; one that is slow for longer must not let all streams pass their limits.
 */
const UNANSWERED_MS = 5 * 60_000;

interface Parts {
  /** @returns what is reserved altogether, milliseconds; undefined for what has ended @throws LimitReached, BalanceExhausted */
  reserve(length: Length): Promise<number | undefined>;
  log: Pick<Log, 'warn'>;
}

/** What is reserved for one stream while it runs. */
export class Extension {
  readonly #parts: Parts;
  readonly #session: string;
  /** What is reserved as far as the database has said so, milliseconds. */
  #answeredMs: number;
  /** The database's last answer, where that was a refusal. */
  #refused: LiveRefusal | undefined;

  constructor(parts: Parts, { session, reservedMs }: { session: string; reservedMs: number }) {
    this.#parts = parts;
    this.#session = session;
    this.#answeredMs = reservedMs;
  }

  /**
   * Reserves more sound than so many milliseconds. Without an answer of the database the stream goes on for a while, unless the last one,
   * in time or late, was a refusal: what it hears meanwhile is in what it asks for next.
   * @returns what may be heard altogether, milliseconds
   * @throws LiveRefusal 402, 429, 503
   */
  async extend(ms: number): Promise<number> {
    const next = { leastMs: ms + LEAST_MS, mostMs: ms + RESERVED_MS };
    let silence: unknown;
    try {
      const ms = await inTime(this.#ask(next), ANSWER_MS);
      if (ms !== undefined) return ms;
      // Its row has ended: the gate withdraws it before long, and says why.
    } catch (error) {
      if (error instanceof LiveRefusal) throw error;
      silence = error;
      this.#parts.log.warn({ err: error, session: this.#session }, 'a live session could not reserve what it hears');
    }
    if (this.#refused !== undefined) throw this.#refused;
    if (next.mostMs > this.#answeredMs + UNANSWERED_MS)
      throw silence === undefined ? refusal.cannotContinue(4) : refusal.databaseAway(silence);
    return next.mostMs;
  }

  /** An answer that is late counts, too. */
  async #ask(length: Length): Promise<number | undefined> {
    try {
      const ms = await asRefusal(() => this.#parts.reserve(length));
      if (ms !== undefined) this.#answeredMs = Math.max(this.#answeredMs, ms);
      this.#refused = undefined;
      return ms;
    } catch (error) {
      if (error instanceof LiveRefusal) this.#refused = error;
      throw error;
    }
  }
}
