/** Payments are tests at first, and real once a server has started with them. */
import { enterMode } from '#server/money/ledger/mode.ts';
import { takeBackTestPayments } from '#server/money/payments/take-back.ts';
import type { Services } from '#server/platform/context.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { Entries } from './causes.ts';
import type { Outside } from './outside.ts';
import type { ModelProvider } from './provider.ts';

/** The key of a server whose payments are real. */
export const LIVE = { secretKey: 'sk_live_1', webhookSecrets: [] };

export class Modes {
  /** Whether what test payments have added was taken back for certain. */
  isTakenBack = false;
  /** What a server does whose payments are tests, beside others. */
  readonly test: Services;
  readonly #services: Services;
  readonly #outside: Outside;
  readonly #provider: ModelProvider;

  /** @param services whose payments become real */
  constructor(services: Services, outside: Outside, provider: ModelProvider) {
    this.test = { ...services };
    this.#services = services;
    this.#outside = outside;
    this.#provider = provider;
  }

  /** @param db of one who never ends */
  async begin(db: Db): Promise<void> {
    await db.deleteFrom('payment_mode').execute();
    await enterMode(db, this.test.config, this.#services.clock());
  }

  /** A server starts whose payments are real; the first of them ends all that is at the provider of tests. Two take back at once. */
  async goLive(): Promise<void> {
    const services = this.#services;
    const config = { ...services.config, stripe: LIVE };
    await enterMode(services.db, config, services.clock());
    services.config = config;
    if (!this.#provider.isLive) {
      this.#outside.payAll();
      this.#provider.goLive();
    }
    await this.takeBack();
  }

  /** As each server does every hour. */
  async takeBack(): Promise<void> {
    if (!this.#provider.isLive) return;
    await Promise.all([takeBackTestPayments(this.#services), takeBackTestPayments(this.#services)]);
    this.isTakenBack = true;
  }
}

/** What takes back test payments, once each, by its cause. */
export function takenBack(entries: Entries, { isLive, tests }: ModelProvider): [cause: string, micros: number][] {
  if (!isLive) return [];
  return entries.flatMap(({ payment_id, cause }, at): [string, number][] => {
    if (payment_id === null || !tests.has(payment_id) || cause !== `test-payment:${payment_id}`) return [];
    return [[cause, -sumOf(entries.slice(0, at).filter((entry) => entry.payment_id === payment_id))]];
  });
}

/** Test payments that balances have though all was taken back. */
export function leftOfTests(entries: Entries, { tests }: ModelProvider): string[] {
  return [...new Set(entries.flatMap(({ payment_id }) => payment_id ?? []))]
    .filter((id) => tests.has(id))
    .map((id) => [id, sumOf(entries.filter(({ payment_id }) => payment_id === id))] as const)
    .filter(([, micros]) => micros !== 0)
    .map(([id, micros]) => `test payment ${id} has ${micros} in the balance`);
}

const sumOf = (entries: Entries): number => entries.reduce((sum, { amount_micros }) => sum + amount_micros, 0);
