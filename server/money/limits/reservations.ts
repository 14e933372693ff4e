/**
 * Reserves audio and money for running requests, so that use plus reservations never exceed the month's minutes, its
 * budget, or the balance. The reservation is in the row of the transcription or live session, and counts until that has
 * ended; the transaction that ends it writes the use instead.
 */
import type { Db } from '../../platform/db/database.ts';
import type { Prices } from '../../platform/prices.ts';
import { costOf } from '../usage/prices.ts';
import { readBounds, type Bounds, type Place } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { BalanceExhausted, LimitReached, type Scope } from './errors.ts';
import { readMonth, type Amount, type Month } from './month.ts';
import { MINUTE_MS } from './use.ts';

const MS_PER_HOUR = 60 * MINUTE_MS;

/**
 * Reserved for a recording of unknown length, and the least that a reservation grows by, milliseconds. Short, so that
 * no recording is refused that might fit; once its length is known, that is reserved.
 */
export const LEAST_RESERVED_MS = 1000;

/** Audio to reserve. */
export interface Wish {
  kind: 'async' | 'real_time';
  /** The model id as the client sent it, perhaps an alias. */
  model: string;
  prices: Prices;
  /** Refused if there is no room for this much, milliseconds. */
  leastMs: number;
  /** Reserves as much as there is room for, up to this, milliseconds. */
  mostMs: number;
  /** The present reservation, which is never refused again. */
  held?: Amount;
}

/** Audio to reserve for a request that is about to begin. */
export type FirstWish = Omit<Wish, 'prices' | 'held'>;

/** A monthly limit or the balance, and what is left of it. */
interface Store {
  what: keyof Amount;
  /** Neither used nor reserved; negative if overdrawn. */
  left: number;
  refuse: () => Error;
}

/** The monthly limits, in the order in which they refuse: name, bounded amount, amount per unit of the limit. */
const MONTHLY = [
  ['budget_micros', 'micros', 1],
  ['audio_minutes', 'ms', MINUTE_MS],
] as const;
const SCOPES = ['organization', 'project'] as const;

/**
 * The amount to reserve: up to `mostMs`, at least `leastMs`. Requires the lock of the limits.
 * @param id of the request that has a reservation already; null for a new one
 * @param now by the database's clock
 * @throws LimitReached, BalanceExhausted if nothing is left, or less than `leastMs`
 */
export async function findReservation(
  trx: Db,
  place: Place,
  wish: Wish,
  { id, now, limitDefaults }: { id: string | null; now: Date; limitDefaults: LimitDefaults },
): Promise<Amount> {
  const { prices, held = { ms: 0, micros: 0 } } = wish;
  const bounds = await readBounds(trx, place, limitDefaults);
  const month = await readMonth(trx, place, now, id);
  const least = amountOf(prices, wish, wish.leastMs);
  let { mostMs } = wish;
  for (const { what, left, refuse } of storesOf(bounds, month, least.micros, prices.size > 0)) {
    if (id === null ? left <= 0 || least[what] > left : least[what] > Math.max(left, held[what])) throw refuse();
    mostMs = Math.min(mostMs, Math.max(wish.leastMs, fitting(prices, wish, what, left)));
  }
  return amountOf(prices, wish, mostMs);
}

/** This much audio with its cost; 0 without a price. */
export function amountOf(prices: Prices, { kind, model }: Pick<Wish, 'kind' | 'model'>, ms: number): Amount {
  return { ms, micros: costOf(prices, { kind, model, status: 'completed', audioMs: ms }) ?? 0 };
}

/** How much audio fits into what is left of a store, milliseconds. */
function fitting(prices: Prices, wish: Wish, what: keyof Amount, left: number): number {
  if (what === 'ms') return left;
  const perHour = amountOf(prices, wish, MS_PER_HOUR).micros;
  return perHour === 0 ? Infinity : Math.floor((Math.max(0, left) * MS_PER_HOUR) / perHour);
}

/** @param isCharging whether anything has a price; if not, the balance does not limit */
function storesOf(bounds: Record<Scope, Bounds>, month: Month, leastMicros: number, isCharging: boolean): Store[] {
  const stores = MONTHLY.flatMap(([name, what, unit]) =>
    SCOPES.flatMap((scope): Store[] => {
      const { value } = bounds[scope][name];
      if (value === null) return [];
      const left = value * unit - month.used[scope][what] - month.reserved[scope][what];
      return [{ what, left, refuse: () => new LimitReached(name, scope, value) }];
    }),
  );
  if (isCharging && month.funds !== null)
    stores.push({
      what: 'micros',
      left: month.funds - month.reserved.organization.micros,
      refuse: () => new BalanceExhausted(leastMicros),
    });
  return stores;
}
