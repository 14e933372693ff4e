import type { Selectable } from 'kysely';
import { BalanceExhausted, LimitReached } from '../../money/limits/errors.ts';
import { changeReservation, type Length } from '../../money/limits/grow.ts';
import { LEAST_MS } from '../../money/limits/reservations.ts';
import type { SpeechTables } from '../../platform/db/speech-tables.ts';
import type { SpeechServices } from '../services.ts';

/** What is reserved at a time for sound that goes on beyond the length that is known, milliseconds. */
const STEP_MS = 60_000;
/** How long the end of a recording waits for the limits of its organization, milliseconds. */
const PATIENCE_MS = 30_000;

type Parts = Pick<SpeechServices, 'db' | 'clock' | 'limitDefaults' | 'log'>;
type Row = Pick<Selectable<SpeechTables['transcriptions']>, 'id' | 'file_id' | 'reserved_ms'>;

/**
 * Sound that is reserved for one transcription while it is worked on: what it declares before any of it is heard, and what goes on beyond
 * that, or declares nothing, as it is heard. A header may be false, so it is refused wherever there is no more; what is billed was reserved.
 */
export class LengthReservation {
  readonly #parts: Parts;
  readonly #row: Row;
  readonly #refused = new AbortController();
  #reservedMs: number;
  #refusal: Error | undefined;
  #growing: Promise<void> | undefined;

  constructor(parts: Parts, row: Row) {
    this.#parts = parts;
    this.#row = row;
    this.#reservedMs = Number(row.reserved_ms);
  }

  /** Aborted where it goes on and there is no more. */
  get signal(): AbortSignal {
    return this.#refused.signal;
  }

  /** Why it must not go on. */
  get refusal(): Error | undefined {
    return this.#refusal;
  }

  /** The recording says how long it is, milliseconds. @throws LimitReached, BalanceExhausted, and what the database refuses with */
  async declare(declaredMs: number): Promise<void> {
    const declared = Math.max(LEAST_MS, declaredMs);
    if (declared === this.#reservedMs) return;
    try {
      const ms = await this.#known(declared);
      // A run before this one may have heard more than it declares.
      if (ms > this.#reservedMs) await this.#reserve({ leastMs: ms, mostMs: ms });
    } catch (error) {
      this.#refusal = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  /** So much of it is heard, milliseconds. */
  heard(ms: number): void {
    if (ms <= this.#reservedMs || this.#growing !== undefined || this.#refusal !== undefined) return;
    this.#growing = this.#reserve({ leastMs: ms, mostMs: ms + STEP_MS })
      .catch((error: unknown) => {
        if (error instanceof LimitReached || error instanceof BalanceExhausted) {
          this.#refusal = error;
          this.#refused.abort();
        } else {
          // It is told again with the next step.
          this.#parts.log.warn({ err: error, transcription: this.#row.id }, 'what is heard could not be reserved');
        }
      })
      .finally(() => {
        this.#growing = undefined;
      });
  }

  /**
   * This is its real length, milliseconds: it is heard to its end, or will be. What is not reserved yet is reserved now.
   * @throws LimitReached, BalanceExhausted, and what the database refuses with
   */
  async settle(durationMs: number): Promise<void> {
    await this.#growing;
    const ms = Math.max(LEAST_MS, durationMs);
    await this.#correct(ms);
    if (this.#refusal !== undefined) throw this.#refusal;
    // Hours of work may hang on it: it waits longer for others of its organization.
    if (ms > this.#reservedMs) await this.#reserve({ leastMs: ms, mostMs: ms }, PATIENCE_MS);
  }

  /** Nothing of it is under way any more. */
  async idle(): Promise<void> {
    await this.#growing;
  }

  async #reserve(length: Length, lockMs?: number): Promise<void> {
    const row = { table: 'transcriptions', id: this.#row.id } as const;
    // What has ended meanwhile needs nothing.
    this.#reservedMs = (await changeReservation(this.#parts, row, length, lockMs)) ?? length.mostMs;
  }

  /** The length of its file; what it declares where that was not known before, as where the storage is elsewhere, milliseconds. */
  async #known(declaredMs: number): Promise<number> {
    if (this.#row.file_id === null) return declaredMs;
    const file = await this.#parts.db
      .updateTable('files')
      // What was once heard to its end is not believed again.
      .set(({ fn, val }) => ({ length_ms: fn.coalesce('length_ms', val(declaredMs)) }))
      .where('id', '=', this.#row.file_id)
      .returning('length_ms')
      .executeTakeFirst();
    return Number(file?.length_ms ?? declaredMs);
  }

  /** For the next one that is asked for of its file. */
  async #correct(lengthMs: number): Promise<void> {
    if (this.#row.file_id === null) return;
    await this.#parts.db
      .updateTable('files')
      .set({ length_ms: lengthMs })
      .where('id', '=', this.#row.file_id)
      .where('length_ms', 'is distinct from', lengthMs)
      .execute();
  }
}
