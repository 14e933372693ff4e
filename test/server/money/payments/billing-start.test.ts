/** What billing does by itself once a server has started. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { PaymentEndpoint } from '#contract/paying.ts';
import { PaymentUnavailable, type PaymentDriver } from '#server/money/payments/port.ts';
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

const RIGHT: PaymentEndpoint = { status: 'ok', missing_events: [], api_version: null, missing_rights: [] };
const [ENDPOINT, KEY] = ['the webhook endpoint at the payment provider', 'the key of the payment provider'];
const REFUNDS = ['refund.created', 'refund.failed'];

it.each<[string, PaymentEndpoint | null, object[]]>([
  ['nothing of a test, which has none', null, []],
  ['nothing where it is right', RIGHT, []],
  ['nothing where the server cannot know', { ...RIGHT, status: 'unknown' }, []],
  ['that it is not there', { ...RIGHT, status: 'missing' }, [{ about: ENDPOINT, endpoint: { status: 'missing' } }]],
  [
    'which events it lacks',
    { ...RIGHT, status: 'incomplete', missing_events: REFUNDS },
    [{ about: ENDPOINT, endpoint: { missing_events: REFUNDS } }],
  ],
  [
    'of which version it is',
    { ...RIGHT, api_version: '2020-08-27' },
    [{ about: ENDPOINT, endpoint: { api_version: '2020-08-27' } }],
  ],
  ['what the key may not read', { ...RIGHT, missing_rights: ['refunds'] }, [{ about: KEY, rights: ['refunds'] }]],
])('PAY-06: the start says of the webhook endpoint: %s', async (_what, endpoint, lines) => {
  const asked = vi.fn(() => Promise.resolve(endpoint));
  expect(await saidWith(asked)).toMatchObject({ error: lines, warn: [] });
});

it('PAY-06: the start says that the provider does not answer, and goes on', async () => {
  const asked = vi.fn(() => Promise.reject(new PaymentUnavailable('')));
  expect(await saidWith(asked)).toMatchObject({ error: [], warn: [{ about: 'the payment provider does not answer' }] });
});

/** What a start has in its log, given the word of the provider. */
async function saidWith(check: PaymentDriver['check']) {
  const { services, close } = await openServices();
  const said = (level: 'error' | 'warn') => vi.spyOn(services.log, level).mockImplementation(() => undefined);
  const [error, warn] = [said('error'), said('warn')];
  await startBilling(services, Object.assign(new TestDriver(services), { check }));
  await vi.waitFor(() =>
    expect(check).toHaveBeenCalledExactlyOnceWith(`${services.publicUrl()}/api/v2/stripe/webhook/`),
  );
  await close();
  const linesOf = ({ mock }: typeof error) =>
    mock.calls.map(([told, about]: unknown[]) => ({
      ...(told as object),
      about: String(about).split(/ is | may /)[0],
    }));
  return { error: linesOf(error), warn: linesOf(warn) };
}
