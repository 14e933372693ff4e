/** What servers start with, and what requests were promised as they began. */
import { storePrices, pricesAt } from '#server/money/usage/price-lists.ts';
import { costOf } from '#server/money/usage/prices.ts';
import type { Services } from '#server/platform/context.ts';
import { databaseNow } from '#server/platform/db/now.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { Prices } from '#server/platform/prices.ts';

export const MODEL = 'm';

/** What everything costs by one number, micro-USD for an hour of a file, twice as much live; nothing has a price by 0. */
const pricesBy = (perHour: number): Prices =>
  new Map(
    perHour === 0
      ? []
      : [
          ['async', perHour],
          ['live', 2 * perHour],
        ],
  );

const FIRST = 1_000_000;
/** What the database knows before anybody starts with others. */
export const PRICES = pricesBy(FIRST);

/** Servers that start with other prices. */
export class Starts {
  /** One of these holds. */
  #possible = [FIRST];
  /** By which prices each request began, by its id. */
  readonly #promised = new Map<string, number>();
  readonly #services: Pick<Services, 'db' | 'clock'>;

  constructor(services: Pick<Services, 'db' | 'clock'>) {
    this.#services = services;
  }

  /** Whether nothing had a price at any time. */
  wasFree = false;

  async start(perHour: number): Promise<void> {
    this.wasFree ||= perHour === 0;
    this.#possible.push(perHour);
    await storePrices(this.#services.db, pricesBy(perHour), this.#services.clock);
    if (this.#possible.length === 2) this.#possible = [perHour];
  }

  /** What so much costs that is charged by what was started with last, or as a request was promised. */
  priced(audio_ms: number, id?: string, kind: 'async' | 'real_time' = 'async') {
    const perHour = (id === undefined ? undefined : this.#promised.get(id)) ?? this.#possible.at(-1) ?? FIRST;
    const of = { kind, model: MODEL, status: 'completed', audioMs: audio_ms } as const;
    return { audio_ms, cost_micros: costOf(pricesBy(perHour), of) };
  }

  /** Writes down what a request is promised. @returns what is to be called in the transaction that admits it @throws Error */
  promise(id: string): (trx: Db, began: Date) => Promise<void> {
    const before = [...this.#possible];
    return async (trx, began) => {
      const told = numberOf(await pricesAt(trx, began));
      if (![...before, ...this.#possible].includes(told)) throw new Error(`A request was promised ${told}.`);
      this.#promised.set(id, told);
    };
  }

  /** What holds is what a server was started with; the last, where that is certain. @param db of one who never ends @throws Error */
  async prove(db: Db): Promise<void> {
    const held = numberOf(await pricesAt(db, await databaseNow(db, this.#services.clock)));
    if (!this.#possible.includes(held))
      throw new Error(`Servers were started with ${this.#possible.join(', ')}, and ${held} holds.`);
    this.#possible = [held];
  }
}

const numberOf = (prices: Prices): number => prices.get('async') ?? 0;
