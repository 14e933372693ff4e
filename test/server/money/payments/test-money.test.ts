/** What test payments have added, once payments are real. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { checkBooks } from '#server/app/admin/books.ts';
import { begin } from '#server/money/billing/begin.ts';
import { availableMicros, postEntry, lockAccount } from '#server/money/ledger/accounts.ts';
import { enterMode, readMode } from '#server/money/ledger/mode.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { autopayHandler } from '#server/money/payments/autopay.ts';
import { PaymentUnavailable } from '#server/money/payments/port.ts';
import { reconcile } from '#server/money/payments/reconcile.ts';
import { takeBackTestPayments } from '#server/money/payments/take-back.ts';
import { startBilling } from '#server/money/payments/start.ts';
import { applyPaymentEvent } from '#server/money/payments/apply-event.ts';
import type { Services } from '#server/platform/context.ts';
import type { RunningJob } from '#server/platform/jobs/worker.ts';
import { createUser, type TestUser } from '../../harness.ts';
import { addCharge, beginPayment, entriesOf, paymentsOf, unaided } from '../books.ts';
import { ModelProvider } from '../ledger/provider.ts';
import { CREDIT } from '../served.ts';
import { openServices } from '../services.ts';
import { useUp } from '../usage/usage.ts';

/** Processes whose payments are of this mode, by the key that each has. */
const KEYS = { test: undefined, sandbox: 'sk_test_1', live: 'sk_live_1' };
type Mode = keyof typeof KEYS;

let services: Services;
let close: () => Promise<void>;
let ada: TestUser;
beforeAll(async () => {
  ({ services, close } = await openServices());
});
afterAll(() => close());
beforeEach(async () => {
  // As before a server has started.
  await services.db.deleteFrom('payment_mode').execute();
  await services.db.updateTable('payments').set({ mode: null }).where('mode', '=', 'live').execute();
  ada = await createUser(services);
});

const of = (mode: Mode): Services => {
  const secretKey = KEYS[mode];
  const stripe = secretKey === undefined ? undefined : { secretKey, webhookSecrets: [] };
  return { ...services, config: { ...services.config, stripe, operatorEmail: 'operator@example.com' } };
};
async function start(mode: Mode): Promise<void> {
  await enterMode(services.db, of(mode).config, services.clock());
  await startBilling(of(mode), new ModelProvider(services.clock));
}

/** A payment of which the provider has told a process. */
async function paid(amountMicros: number, mode: Mode, user = ada): Promise<string> {
  const payment = { organization_id: user.organizationId, amount_micros: amountMicros, at: services.clock() };
  const id = await beginPayment(services.db, payment);
  const providerId = `${mode === 'test' ? 'test_' : 'pi_'}${id}`;
  await applyPaymentEvent(of(mode), { id: randomUUID(), type: 'paid', paymentId: id, amountMicros, providerId });
  return id;
}
const left = (user = ada) => availableMicros(services.db, user.organizationId);
const corrections = async () =>
  (await entriesOf(services.db, ada.organizationId))
    .filter(({ kind }) => kind === 'correction')
    .toSorted((one, other) => one.amount_micros - other.amount_micros);
/** But for confirmed payments. */
const mailsTo = async (address: string): Promise<string[]> =>
  (
    await services.db
      .selectFrom('outbox')
      .select('body_text')
      .where('recipient', '=', address)
      .where('subject', 'not like', 'Payment of %')
      .execute()
  ).map(({ body_text }) => body_text);

describe('a server that starts with real payments', () => {
  it('PAY-15: takes what test payments have added out of the balances, once, whatever was used of it', async () => {
    const payments = [await paid(25_000_000, 'test'), await paid(5_000_000, 'sandbox')];
    await paid(7_000_000, 'live');
    await useUp(services.db, ada, 20_000_000, services.clock());
    const bob = await createUser(services);
    await paid(6_000_000, 'live', bob);
    const warn = vi.spyOn(services.log, 'warn');
    await unaided(services.db, async () => {
      await Promise.all([start('live'), start('live'), start('live')]);
      await start('live');
    });
    const [reversal, description] = ['test_payment', 'Test payment taken back: no money was moved'];
    expect(await corrections()).toMatchObject([
      { amount_micros: -25_000_000, cause: `test-payment:${payments[0]}`, reversal, description, mode: 'test' },
      { amount_micros: -5_000_000, cause: `test-payment:${payments[1]}`, reversal, description, mode: 'sandbox' },
    ]);
    expect([await left(), await left(bob)]).toEqual([CREDIT + 7_000_000 - 20_000_000, CREDIT + 6_000_000]);
    const told = warn.mock.calls.filter(([, message]) => message?.startsWith('test payments were taken out') === true);
    expect(told).toEqual([[{ organizations: 1, payments: 2, usd: '30' }, expect.any(String)]]);
    const log = await services.db
      .selectFrom('audit_log')
      .select(['actor', 'detail'])
      .where('organization_id', '=', ada.organizationId)
      .where('action', '=', 'correction.entered')
      .execute();
    expect(log).toEqual([
      { actor: 'Operator', detail: '-30 USD: test payments are taken back, as no money was moved' },
    ]);
    expect(await mailsTo(ada.email)).toEqual([
      expect.stringMatching(/Test organization was put right by -30 USD.* The balance is -3 USD\./s),
    ]);
    expect(await mailsTo(bob.email)).toEqual([]);
    expect(await mailsTo('operator@example.com')).toEqual([
      expect.stringContaining('of 1 organization was put right by -30 USD'),
    ]);
    expect(await proveLedger(services.db)).toEqual([]);
  });

  it('PAY-15: tells the operator of all that was taken, once, also of what a process took that ended before its mail', async () => {
    await paid(25_000_000, 'test');
    await paid(6_000_000, 'test', await createUser(services));
    const { mail } = services;
    const send: Services['mail']['send'] = (trx, letter) =>
      letter.to === 'operator@example.com' ? Promise.reject(new Error('The process ends.')) : mail.send(trx, letter);
    await expect(takeBackTestPayments({ ...of('live'), mail: { ...mail, send } })).rejects.toThrow('ends');
    const told = async () => (await mailsTo('operator@example.com')).length;
    const before = await told();
    for (let round = 0; round < 2; round += 1) await takeBackTestPayments(of('live'));
    expect(await told()).toBe(before + 1);
    expect(await mailsTo('operator@example.com')).toContainEqual(
      expect.stringContaining('of 2 organizations was put right by -31 USD'),
    );
  });

  it('PAY-15: of a key for tests, takes those of this server out alone', async () => {
    await paid(5_000_000, 'test');
    await paid(7_000_000, 'sandbox');
    await start('sandbox');
    expect(await left()).toBe(CREDIT + 7_000_000);
    await start('test');
    await start('sandbox');
    expect(await left()).toBe(CREDIT + 7_000_000);
    await start('live');
    expect(await left()).toBe(CREDIT);
  });

  it('PAY-15: of payments of before those are tests that their page says so of; what is not known counts as real', async () => {
    const [page, charge, own] = [
      await paid(5_000_000, 'sandbox'),
      await paid(7_000_000, 'sandbox'),
      await paid(1, 'test'),
    ];
    for (const [id, page_id] of [
      [page, 'cs_test_1'],
      [charge, null],
      [own, null],
    ] as const)
      await services.db.updateTable('payments').set({ mode: null, page_id }).where('id', '=', id).execute();
    await start('sandbox');
    expect(await left()).toBe(CREDIT + 12_000_000);
    await start('live');
    expect(await left()).toBe(CREDIT + 7_000_000);
  });

  it('PAY-15: takes back what a test has added since, as often as it does', async () => {
    const id = await paid(5_000_000, 'test');
    await start('live');
    await services.db.transaction().execute(async (trx) => {
      await lockAccount(trx, ada.organizationId);
      const entry = { organizationId: ada.organizationId, paymentId: id, description: '', at: services.clock() };
      await postEntry(trx, { ...entry, kind: 'refund', micros: -2_000_000, cause: `refund:${id}` });
    });
    await start('live');
    await start('live');
    expect((await corrections()).map(({ cause, amount_micros }) => [cause, amount_micros])).toEqual([
      [`test-payment:${id}`, -5_000_000],
      [`test-payment:${id}:1`, 2_000_000],
    ]);
    expect(await left()).toBe(CREDIT);
  });

  it('PAY-19: ends what is under way of a test, and one for tests does nothing any more', async () => {
    const begun = { organization_id: ada.organizationId, amount_micros: 5_000_000, page_id: randomUUID() };
    const at = new Date(services.clock().getTime() - 3_600_000);
    const payment = await beginPayment(services.db, { ...begun, at });
    await services.db.updateTable('payments').set({ mode: 'sandbox' }).where('id', '=', payment).execute();
    await enterMode(services.db, of('live').config, services.clock());
    const provider = new ModelProvider(services.clock);
    const state = async () => (await paymentsOf(services.db, ada.organizationId)).map((one) => one.state);
    await reconcile(of('sandbox'), provider);
    await applyPaymentEvent(of('sandbox'), { id: randomUUID(), type: 'failed', paymentId: payment, message: '' });
    expect(await state()).toEqual(['open']);
    const act = { userId: ada.userId, email: ada.email, requestId: 'r', at: services.clock() };
    const wanted = { attempt: randomUUID(), amountMicros: null };
    await expect(
      begin({ services: of('test'), driver: provider }, act, ada.organizationId, wanted),
    ).rejects.toMatchObject({ type: 'payment_unavailable' });
    await reconcile(of('live'), provider);
    expect(await state()).toEqual(['failed']);
  });

  it('PAY-19: is not asked by the attempt of a test, and what it tells of is real whatever began', async () => {
    const act = { userId: ada.userId, email: ada.email, requestId: 'r', at: services.clock() };
    const wanted = { attempt: randomUUID(), amountMicros: null };
    const provider = new ModelProvider(services.clock);
    const by = (mode: Mode) => begin({ services: of(mode), driver: provider }, act, ada.organizationId, wanted);
    await by('sandbox');
    await expect(by('live')).rejects.toMatchObject({ type: 'payment_ended' });
    const payment = { organization_id: ada.organizationId, amount_micros: 5_000_000, at: services.clock() };
    const id = await beginPayment(services.db, payment);
    await services.db.updateTable('payments').set({ mode: 'test' }).where('id', '=', id).execute();
    const event = {
      id: randomUUID(),
      type: 'paid',
      paymentId: id,
      amountMicros: 5_000_000,
      providerId: 'pi_1',
    } as const;
    await applyPaymentEvent(of('live'), event);
    await start('live');
    expect(await left()).toBe(CREDIT + 5_000_000);
  });

  it('PAY-19: keeps one for tests from starting on its database, and takes no money of one that runs', async () => {
    // One for tests starts before anybody has paid, beside a real one.
    for (const mode of ['live', 'test'] as const) await start(mode);
    await paid(1_000_000, 'live');
    for (const mode of ['test', 'sandbox'] as const) {
      await expect(start(mode)).rejects.toThrow(
        'Payments of this database are real: start with the live STRIPE_SECRET',
      );
      const id = await paid(8_000_000, mode);
      expect(await left()).toBe(CREDIT + 1_000_000);
      const { text } = await checkBooks(services.db);
      expect(text).toContain('Events of a test have moved no money.');
      expect(text).toContain(
        `payment:${id}:${mode === 'test' ? 'test' : 'pi'}_${id}: paid, 8 USD, in no balance, as it is of a test, and payments are real`,
      );
    }
    await services.db.deleteFrom('refused_events').execute();
    await enterMode(services.db, { ...of('test').config, testPaymentsOnCopy: true }, services.clock());
    await start('live');
    expect((await checkBooks(services.db)).data.test_payments).toEqual([]);
  });

  it('PAY-19: keeps one for tests from starting while a real charge is on its way, and from asking for that', async () => {
    await start('live');
    const at = services.clock();
    const charge = { organization_id: ada.organizationId, method_id: 'pm_1', amount_micros: 5_000_000, at };
    const subject = await addCharge(services.db, { ...charge, mode: 'live', state: 'sent' });
    await expect(start('test')).rejects.toThrow('Payments of this database are real');
    const provider = new ModelProvider(services.clock);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const job = { subject } as RunningJob;
    await expect(autopayHandler(of('test'), provider).run(job)).rejects.toThrow(PaymentUnavailable);
    expect(provider.intents).toEqual([]);
  });

  it('PAY-15: books check lists what is of a test until it is taken out', async () => {
    const payment = await paid(8_000_000, 'test');
    await services.db.insertInto('payment_mode').values({ mode: 'live', since: services.clock() }).execute();
    const { text, data } = await checkBooks(services.db);
    expect(text).toContain(`${payment}: a test payment of 8 USD, in the balance of organization ${ada.organizationId}`);
    expect(data.test_payments).toEqual([
      { payment_uuid: payment, organization_uuid: ada.organizationId, micros: 8_000_000 },
    ]);
    await start('live');
    const after = await checkBooks(services.db);
    expect(after.data.test_payments).toEqual([]);
    expect(after.data.test_payments_taken_back).toContainEqual({
      organization_uuid: ada.organizationId,
      micros: -8_000_000,
    });
    expect(after.text).toContain('The books are right');
    expect(after.text).toContain('were taken out as payments became real');
    expect(await left()).toBe(CREDIT);
  });
});

it.each(['sandbox', 'live'] as const)(
  'PAY-15: a worker that is started without the key of the servers leaves payments as they are: %s',
  async (mode) => {
    await enterMode(services.db, of(mode).config, services.clock());
    await enterMode(services.db, { ...of('test').config, role: 'worker' }, services.clock());
    expect(await readMode(services.db)).toBe(mode);
  },
);
