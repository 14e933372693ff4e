/** What billing does by itself once a server has started. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startBilling } from '#server/money/payments/start.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import { createUser } from '../../harness.ts';
import { beginPayment, entriesOf } from '../books.ts';
import { soon } from '../served.ts';
import { openServices } from '../services.ts';
import { useUp } from '../usage/usage.ts';

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];

/** Questions about payments, by id. */
const asked: string[] = [];
class AskedDriver extends TestDriver {
  override ask(payment?: { paymentId: string }): Promise<undefined> {
    asked.push(payment?.paymentId ?? '');
    return super.ask();
  }
}

let now = Date.now();
let open: Awaited<ReturnType<typeof openServices>>;
beforeAll(async () => {
  open = await openServices({ clock: () => new Date(now) });
});
afterAll(async () => {
  vi.useRealTimers();
  await open.close();
});

it('LED-03 PAY-09: days that are over are posted at the start and every hour, and payments asked about every minute', async () => {
  const { services } = open;
  const { db } = services;
  const ada = await createUser(services);
  const posted = async (): Promise<number[]> =>
    (await entriesOf(db, ada.organizationId)).slice(1).map(({ amount_micros }) => amount_micros);
  await useUp(db, ada, 100, new Date(now - DAY_MS));
  const payment = { organization_id: ada.organizationId, amount_micros: 5_000_000, page_id: 'test_page' };
  const id = await beginPayment(db, { ...payment, at: new Date(now - HOUR_MS) });
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
