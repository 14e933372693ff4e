import type { Selectable } from 'kysely';
import { changeReservation } from '../../money/limits/grow.ts';
import { LEAST_MS } from '../../money/limits/reservations.ts';
import type { SpeechTables } from '../../platform/db/speech-tables.ts';
import type { SpeechServices } from '../services.ts';

/** What is reserved at a time for sound that goes on beyond the length that is known, milliseconds. */
const STEP_MS = 60_000;

type Parts = Pick<SpeechServices, 'db' | 'clock' | 'limitDefaults' | 'log'>;
type Row = Pick<Selectable<SpeechTables['transcriptions']>, 'id' | 'file_id' | 'reserved_ms'>;

/**
 * Sound that is reserved for one transcription while it is worked on. What it declares is reserved before any of it is heard, and refused
 * where there is not so much. What goes on beyond that, or declares nothing, is heard to its end: it counts as it is heard.
 */
export class LengthReservation {
  readonly #parts: Parts;
  readonly #row: Row;
  #reservedMs: number;
  #refusal: Error | undefined;
  #growing: Promise<unknown> | undefined;

  constructor(parts: Parts, row: Row) {
    this.#parts = parts;
    this.#row = row;
    this.#reservedMs = Number(row.reserved_ms);
  }

  /** What {@link declare} was refused with. */
  get refusal(): Error | undefined {
    return this.#refusal;
  }

  /** The recording says how long it is, milliseconds. @throws LimitReached, BalanceExhausted, and what the database refuses with */
  async declare(declaredMs: number): Promise<void> {
    const ms = Math.max(LEAST_MS, declaredMs);
    if (ms === this.#reservedMs) return;
    const { db } = this.#parts;
    const { id, file_id } = this.#row;
    try {
      // For the next one that is asked for; not known before where the storage is elsewhere.
      if (file_id !== null) await db.updateTable('files').set({ length_ms: ms }).where('id', '=', file_id).execute();
      await changeReservation(this.#parts, { table: 'transcriptions', id }, { leastMs: ms, mostMs: ms });
      this.#reservedMs = ms;
    } catch (error) {
      this.#refusal = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  /** So much of it is heard, milliseconds. */
  heard(ms: number): void {
    if (ms <= this.#reservedMs || this.#growing !== undefined) return;
    const mostMs = ms + STEP_MS;
    const row = { table: 'transcriptions', id: this.#row.id } as const;
    this.#growing = changeReservation(this.#parts, row, { leastMs: mostMs, mostMs }, true)
      .then(
        () => {
          this.#reservedMs = mostMs;
        },
        // It is told again with the next step.
        (error: unknown) => {
          this.#parts.log.warn({ err: error, transcription: this.#row.id }, 'what is heard could not be reserved');
        },
      )
      .finally(() => {
        this.#growing = undefined;
      });
  }

  /** Nothing of it is under way any more. */
  async settled(): Promise<void> {
    await this.#growing;
  }
}
