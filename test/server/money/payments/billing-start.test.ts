/** What billing does by itself once a server has started. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startBilling } from '#server/money/payments/start.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import { loadConfig } from '#server/platform/config.ts';
import { createServices, type Services } from '#server/platform/context.ts';
import { createLog } from '#server/platform/log.ts';
import { openBorrowedDatabase } from '../../databases.ts';
import { createUser, type TestUser } from '../../harness.ts';
import { testFolder } from '../../template.ts';
import { soon } from './paying.ts';
import { useUp } from '../usage/usage.ts';

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

let services: Services;
let dataDir: string;
let ada: TestUser;
let now = Date.now();
/** Questions about payments, by id. */
const asked: string[] = [];

class AskedDriver extends TestDriver {
  override ask(payment?: { paymentId: string }): Promise<undefined> {
    asked.push(payment?.paymentId ?? '');
    return super.ask();
  }
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(testFolder, 'billing-'));
  services = await createServices(loadConfig({ PORT: '0', DATA_DIR: dataDir }), {
    log: createLog('silent'),
    clock: () => new Date(now),
    database: await openBorrowedDatabase(),
  });
  ada = await createUser(services);
});
afterAll(async () => {
  vi.useRealTimers();
  await services.closing.run();
  await rm(dataDir, { recursive: true, force: true });
});

const posted = async (): Promise<number[]> => {
  const rows = await services.db
    .selectFrom('ledger_entries')
    .select('amount_micros')
    .where('organization_id', '=', ada.organizationId)
    .where('kind', '=', 'usage')
    .orderBy('position')
    .execute();
  return rows.map(({ amount_micros }) => amount_micros);
};

it('LED-03 PAY-09: days that are over are posted at the start and every hour, and payments asked about every minute', async () => {
  const { db } = services;
  await useUp(db, ada, 100, new Date(now - DAY_MS));
  const id = randomUUID();
  await db
    .insertInto('payments')
    .values({
      id,
      organization_id: ada.organizationId,
      kind: 'payment',
      state: 'open',
      amount_micros: 5_000_000,
      key: `page:${id}`,
      page_id: `test_${id}`,
      run_at: new Date(now - HOUR_MS),
      created_at: new Date(now - HOUR_MS),
    })
    .execute();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await startBilling(services, new AskedDriver(services));
  expect([await posted(), asked]).toEqual([[-100], []]);
  vi.advanceTimersByTime(MINUTE_MS);
  await vi.waitUntil(() => asked.length > 0, soon);
  expect(asked).toEqual([id]);
  await useUp(db, ada, 30, new Date(now));
  now += DAY_MS;
  vi.advanceTimersByTime(HOUR_MS);
  await vi.waitUntil(async () => (await posted()).length === 2, soon);
  expect(await posted()).toEqual([-100, -30]);
});
