/**
 * Sound and money that are kept free for what was begun, until it has ended: what is used of the month's minutes, its budget and the balance,
 * and what is reserved of them, never pass them together. A reservation is in the row of its transcription or live session and counts while
 * that has not ended; the transaction that ends it writes down what was used in its place.
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
 * What is reserved for sound whose length nobody knows yet, milliseconds, and the least that a reservation grows by. As short as a recording
 * may well be: where that much is left nothing is refused that might fit, and whoever asks is asked again once its length is known.
 */
export const LEAST_MS = 1000;

/** Sound that is to be reserved. */
export interface Wish {
  kind: 'async' | 'real_time';
  /** As asked for: an alias stays an alias. */
  model: string;
  /** It is charged by these. */
  prices: Prices;
  /** Without so much it is refused, milliseconds. */
  leastMs: number;
  /** So much is reserved where there is room, milliseconds; else what there is. */
  mostMs: number;
  /** What is reserved for it so far; that is never refused again. */
  held?: Amount;
}

/** The same of a request that is about to begin. */
export type FirstWish = Omit<Wish, 'prices' | 'held'>;

/** One thing that there is only so much of. */
interface Store {
  what: keyof Amount;
  /** What nobody has used or reserved; below zero where more is. */
  left: number;
  refuse: () => Error;
}

/** The monthly limits, in the order in which they refuse: what they bound, and how much of it their unit is. */
const MONTHLY = [
  ['budget_micros', 'micros', 1],
  ['audio_minutes', 'ms', MINUTE_MS],
] as const;
const SCOPES = ['organization', 'project'] as const;

/**
 * What there is room for, under the lock of the limits: the whole of what is wished, or at least its least.
 * @param id whose reservation it is; null of what has none yet
 * @param now by the database's clock
 * @throws LimitReached, BalanceExhausted where nothing is left, or less than the least
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

/** What so much sound is, and costs. What has no price costs nothing. */
export function amountOf(prices: Prices, { kind, model }: Pick<Wish, 'kind' | 'model'>, ms: number): Amount {
  return { ms, micros: costOf(prices, { kind, model, status: 'completed', audioMs: ms }) ?? 0 };
}

/** Sound that so much is enough for, milliseconds. */
function fitting(prices: Prices, wish: Wish, what: keyof Amount, left: number): number {
  if (what === 'ms') return left;
  const perHour = amountOf(prices, wish, MS_PER_HOUR).micros;
  return perHour === 0 ? Infinity : Math.floor((Math.max(0, left) * MS_PER_HOUR) / perHour);
}

/** @param isCharging whether anything has a price: else no balance refuses */
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
