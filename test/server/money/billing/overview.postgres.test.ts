/** The overview, while money comes. */
import type { KyselyPlugin } from 'kysely';
import { expect, it } from 'vitest';
import { readOverview } from '#server/money/billing/overview.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { Paying } from '../payments/paying.ts';
import { CREDIT } from '../served.ts';

const paying = new Paying();

/** Has something happen after the n-th statement. */
class After implements KyselyPlugin {
  #left: number;
  readonly #happen: () => Promise<unknown>;

  constructor(statements: number, happen: () => Promise<unknown>) {
    this.#left = statements;
    this.#happen = happen;
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node }) => node;
  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => {
    this.#left -= 1;
    if (this.#left === 0) await this.#happen();
    return result;
  };
}

it('BIL-01: the balance and what is told beside it are of one moment, whenever a payment comes', async () => {
  const { services } = paying.server;
  let statements = 1;
  for (; ; statements += 1) {
    paying.ada = await paying.server.createUser();
    const { attempt: paymentId } = await paying.begin(5_000_000);
    await paying.tell({ type: 'accepted', paymentId });
    let coming: Promise<unknown> | undefined;
    const after = new After(statements, async () => {
      coming = paying.tell({ type: 'paid', paymentId, amountMicros: 5_000_000, providerId: `test_${paymentId}` });
      // The embedded database has one connection: what holds that is waited for.
      if (services.database.kind === 'postgres') await coming;
    });
    const told = await readOverview(
      {
        services: { ...services, db: services.db.withPlugin(after) },
        driver: paying.driver,
        limitDefaults: LIMIT_DEFAULTS,
      },
      paying.ada.organizationId,
      {},
    );
    if (coming === undefined) break;
    await coming;
    expect({ statements, ...told }).toMatchObject({
      balance_micros: CREDIT,
      pending: { uuid: paymentId },
      payments: [],
    });
  }
  // It came after each of them.
  expect(statements).toBeGreaterThan(5);
});
