import { inTime } from '../../platform/in-time.ts';
import type { LengthBounds } from '../../money/limits/grow.ts';
import { LEAST_RESERVED_MS } from '../../money/limits/reservations.ts';
import type { Log } from '../../platform/log.ts';
import { Refusal } from '../../platform/refusal.ts';
import { LiveRefusal, refusal, refusalOf } from './refusal.ts';

/** Audio reserved for a stream at a time, milliseconds; less if the limits leave less. */
export const RESERVED_MS = 60_000;
/** How long a stream waits for the database's answer, milliseconds. */
const ANSWER_MS = 5000;
/**
 * Audio that a stream may hear beyond its last confirmed reservation while the database does not answer, milliseconds.
 * Long enough for a restart or a failover; bounded, so that a slow database does not lift all limits.
 */
const MAX_UNCONFIRMED_MS = 5 * 60_000;

interface Parts {
  /**
   * Raises the reservation in the database.
   * @returns all audio reserved, milliseconds; undefined if the session has ended
   * @throws LimitReached, BalanceExhausted
   */
  reserve(bounds: LengthBounds): Promise<number | undefined>;
  log: Pick<Log, 'warn'>;
}

/** Extends the reservation of one running stream. */
export class ReservationExtender {
  readonly #parts: Parts;
  readonly #session: string;
  /** Audio reserved according to the database's answers, milliseconds. */
  #confirmedMs: number;
  /** The database's last answer, if it was a refusal. */
  #lastRefusal: LiveRefusal | undefined;

  constructor(parts: Parts, { session, reservedMs }: { session: string; reservedMs: number }) {
    this.#parts = parts;
    this.#session = session;
    this.#confirmedMs = reservedMs;
  }

  /**
   * Reserves audio beyond `ms`. Without an answer in time the stream may go on up to {@link MAX_UNCONFIRMED_MS}, unless
   * the last answer (even a late one) was a refusal; the next call then reserves what it heard meanwhile.
   * @returns all audio that the stream may hear, milliseconds
   * @throws LiveRefusal 402, 429, 503
   */
  async extend(ms: number): Promise<number> {
    const next = { leastMs: ms + LEAST_RESERVED_MS, mostMs: ms + RESERVED_MS };
    let silence: unknown;
    try {
      const reservedMs = await inTime(this.#ask(next), ANSWER_MS);
      if (reservedMs !== undefined) return reservedMs;
      // The database says that the session has ended. The gate will withdraw it, and give the reason.
    } catch (error) {
      if (error instanceof LiveRefusal) throw error;
      silence = error;
      this.#parts.log.warn({ err: error, session: this.#session }, 'a live session could not reserve what it hears');
    }
    if (this.#lastRefusal !== undefined) throw this.#lastRefusal;
    if (next.mostMs > this.#confirmedMs + MAX_UNCONFIRMED_MS)
      throw silence === undefined ? refusal.cannotContinue(4) : refusal.databaseAway(silence);
    return next.mostMs;
  }

  /** Also takes note of an answer that comes too late for its caller. */
  async #ask(bounds: LengthBounds): Promise<number | undefined> {
    try {
      const ms = await this.#parts.reserve(bounds);
      if (ms !== undefined) this.#confirmedMs = Math.max(this.#confirmedMs, ms);
      this.#lastRefusal = undefined;
      return ms;
    } catch (error) {
      if (error instanceof Refusal) throw (this.#lastRefusal = refusalOf(error));
      throw error;
    }
  }
}
