import type { Selectable } from 'kysely';
import { raiseReservation, type LengthBounds } from '../../money/limits/grow.ts';
import { LEAST_RESERVED_MS } from '../../money/limits/reservations.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { SpeechTables } from '../../platform/db/speech-tables.ts';
import type { SpeechServices } from '../services.ts';

/** Audio reserved at a time for a recording that goes on beyond its reservation, milliseconds. */
const STEP_MS = 60_000;
/** How long the last reservation waits for the lock of its organization's limits, milliseconds. */
const LAST_LOCK_MS = 30_000;

type Parts = Pick<SpeechServices, 'db' | 'clock' | 'limitDefaults' | 'log'>;
type Row = Pick<Selectable<SpeechTables['transcriptions']>, 'id' | 'file_id' | 'reserved_ms'>;

/**
 * Reserves audio for one transcription while it runs: first the length that the recording declares, then more in steps
 * if it goes on beyond that or declares none. So all billed audio was reserved, even if the header is false. If no more
 * can be reserved, the run is aborted.
 */
export class LengthReservation {
  readonly #parts: Parts;
  readonly #row: Row;
  readonly #refused = new AbortController();
  #reservedMs: number;
  #refusal: Error | undefined;
  #extension: Promise<void> | undefined;

  constructor(parts: Parts, row: Row) {
    this.#parts = parts;
    this.#row = row;
    this.#reservedMs = Number(row.reserved_ms);
  }

  /** Aborts when the recording goes on and no more can be reserved. */
  get signal(): AbortSignal {
    return this.#refused.signal;
  }

  /** Why no more could be reserved. */
  get refusal(): Error | undefined {
    return this.#refusal;
  }

  /** Reserves the declared length, milliseconds. @throws LimitReached, BalanceExhausted, or a database error */
  async declare(declaredMs: number): Promise<void> {
    const declared = Math.max(LEAST_RESERVED_MS, declaredMs);
    if (declared === this.#reservedMs) return;
    try {
      const ms = await this.#fileLength(declared);
      // An earlier run may have got further, and reserved more.
      if (ms > this.#reservedMs) await this.#reserve({ leastMs: ms, mostMs: ms });
    } catch (error) {
      this.#refusal = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  /** Begins to reserve more if the run has got beyond the reservation. @param ms how far it has got */
  extendTo(ms: number): void {
    if (ms <= this.#reservedMs || this.#extension !== undefined || this.#refusal !== undefined) return;
    this.#extension = this.#reserve({ leastMs: ms, mostMs: ms + STEP_MS })
      .catch((error: unknown) => {
        if (error instanceof Refusal) {
          this.#refusal = error;
          this.#refused.abort();
        } else {
          // The next progress of the run tries again.
          this.#parts.log.warn({ err: error, transcription: this.#row.id }, 'heard audio could not be reserved');
        }
      })
      .finally(() => {
        this.#extension = undefined;
      });
  }

  /**
   * Stores the recording's real length, milliseconds, and reserves what is not reserved of it yet.
   * @throws LimitReached, BalanceExhausted, or a database error
   */
  async settle(durationMs: number): Promise<void> {
    await this.#extension;
    const ms = Math.max(LEAST_RESERVED_MS, durationMs);
    await this.#storeLength(ms);
    if (this.#refusal !== undefined) throw this.#refusal;
    // Failing here would lose the whole run, so this waits longer for the lock.
    if (ms > this.#reservedMs) await this.#reserve({ leastMs: ms, mostMs: ms }, LAST_LOCK_MS);
  }

  /** Resolves when no reservation is under way. */
  async idle(): Promise<void> {
    await this.#extension;
  }

  async #reserve(bounds: LengthBounds, lockMs?: number): Promise<void> {
    const row = { table: 'transcriptions', id: this.#row.id } as const;
    // Undefined: the transcription has ended meanwhile and needs no reservation.
    this.#reservedMs = (await raiseReservation(this.#parts, row, bounds, lockMs)) ?? bounds.mostMs;
  }

  /** The stored length of the transcription's file, milliseconds. Stores the declared one if there is none yet. */
  async #fileLength(declaredMs: number): Promise<number> {
    if (this.#row.file_id === null) return declaredMs;
    const file = await this.#parts.db
      .updateTable('files')
      // A stored length may have been measured to the end, so the declared one does not replace it.
      .set(({ fn, val }) => ({ length_ms: fn.coalesce('length_ms', val(declaredMs)) }))
      .where('id', '=', this.#row.file_id)
      .returning('length_ms')
      .executeTakeFirst();
    return Number(file?.length_ms ?? declaredMs);
  }

  /** Stores the measured length of the file for its next transcription. */
  async #storeLength(lengthMs: number): Promise<void> {
    if (this.#row.file_id === null) return;
    await this.#parts.db
      .updateTable('files')
      .set({ length_ms: lengthMs })
      .where('id', '=', this.#row.file_id)
      .where('length_ms', 'is distinct from', lengthMs)
      .execute();
  }
}
