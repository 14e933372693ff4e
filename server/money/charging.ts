/** Stores the settings of this server that hold for all servers of the installation: prices and starting credit. */
import type { Services } from '../platform/context.ts';
import type { Prices } from '../platform/prices.ts';
import { grantStartingCredits } from './ledger/credits.ts';
import { storePrices } from './usage/price-lists.ts';
import { toUsd } from './usage/prices.ts';

/**
 * At the start, stores the prices and the starting credit that the settings name, and logs what they replace. A worker
 * stores nothing: it serves no requests, and often runs without these settings.
 */
export async function storePricesAndCredit({
  db,
  config,
  clock,
  log,
}: Pick<Services, 'db' | 'config' | 'clock' | 'log'>): Promise<void> {
  if (config.role === 'worker') return;
  const prices = await storePrices(db, config.prices, clock);
  if (prices)
    log.warn(
      { old: usdPerHour(prices.old), new: usdPerHour(prices.new), dropped: prices.dropped.map(usdPerHour) },
      'the prices of all servers were changed, USD per hour',
    );
  const credit = await grantStartingCredits(db, config.startingCreditMicros, clock());
  if (credit)
    log.warn({ old: toUsd(credit.old), new: toUsd(credit.new) }, 'the starting credit of all servers was changed, USD');
}

const usdPerHour = (prices: Prices): Record<string, string> =>
  Object.fromEntries([...prices].map(([name, micros]) => [name, toUsd(micros)]));
