import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Transaction } from 'kysely';
import * as v from 'valibot';
import { Uuid } from '#contract/fields.ts';
import { notFound } from '../../platform/refusal.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { enqueue } from '../../platform/jobs/queue.ts';
import type { JobHandler } from '../../platform/jobs/worker.ts';
import { ON_PAGE } from '../ledger/life.ts';
import {
  PaymentUnavailable,
  type ChargeRequest,
  type ChargeResult,
  type MoneyEvent,
  type PaidWith,
  type PageRequest,
  type PaymentDriver,
  type StoredMethod,
  type OpenPayment,
} from './port.ts';
import { applyPaymentEvent } from './apply-event.ts';

/** Path of the page of test payments. */
export const TEST_PAGE = '/billing/test-payment';
/**
 * The kind of job that reports a test payment's event, as a provider would. Its subject is a row of
 * `test_payment_words`.
 */
export const TEST_EVENT = 'test_payment_event';
/** Delay of the failure with the card that fails later, milliseconds. */
const LATER_MS = 3000;
/** Delay of the event with the card whose event is late, milliseconds: the payer is back before. */
const LATE_MS = 8000;

/** Test cards by number, with the outcome of a payment. */
export const TEST_CARDS = {
  '4242424242424242': { brand: 'Visa', outcome: 'succeeds', text: 'Succeeds.' },
  '4000000000000002': { brand: 'Visa', outcome: 'declined', text: 'Is declined.' },
  '4000002500003155': { brand: 'Visa', outcome: 'confirm', text: 'Needs a confirmation. Autopay can’t charge it.' },
  '4000000000000341': { brand: 'Visa', outcome: 'later', text: 'Is taken, and fails a few seconds later.' },
  '4000000000000077': {
    brand: 'Visa',
    outcome: 'late',
    text: 'Succeeds, and the console hears of it a few seconds later.',
  },
} as const;
export type TestCard = keyof typeof TEST_CARDS;
const CardNumber = v.picklist(Object.keys(TEST_CARDS) as [TestCard, ...TestCard[]]);
export const isTestCard = (number: unknown): number is TestCard => v.is(CardNumber, number);

/** Delay of the final event after a charge, milliseconds. */
const DELAYS_MS = { succeeds: 0, later: LATER_MS, late: LATE_MS } as const;

const DECLINED = 'The card was declined.';
const FAILED_LATER = 'The bank returned the payment.';
const UNCONFIRMED = 'The card needs a confirmation by its owner.';

/** A stored event of a test payment. */
const TestWord = v.object({
  paymentId: Uuid,
  type: v.picklist(['paid', 'failed', 'stored', 'canceled', 'accepted']),
  card: CardNumber,
  amountMicros: v.number(),
  message: v.string(),
});
type TestWord = v.InferOutput<typeof TestWord>;

const SECRET = 'pages of test payments';

/** Rejects an id of another provider, whose settings are gone: only that provider knows it, so the caller must wait. */
const requireTestId = (id: string): Promise<void> =>
  id.startsWith('test_')
    ? Promise.resolve()
    : Promise.reject(new PaymentUnavailable(new Error(`${id} is not of the test.`)));

/** Test payments, which move no money. Their pages are on this server; the card decides the outcome. */
export class TestDriver implements PaymentDriver {
  readonly mode = 'test';
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  check(): Promise<null> {
    return Promise.resolve(null);
  }

  createCustomer({ organizationId }: { organizationId: string }): Promise<string> {
    return Promise.resolve(`test_${organizationId}`);
  }

  openPage({ paymentId }: PageRequest): Promise<{ url: string; id: string }> {
    const token = `${paymentId}.${sign(this.#services.secretFor(SECRET), paymentId)}`;
    return Promise.resolve({ id: `test_${paymentId}`, url: `${this.#services.publicUrl()}${TEST_PAGE}/${token}` });
  }

  /** The payment of a page's token; undefined for a forged token. */
  paymentOf(token: string): string | undefined {
    const [paymentId = '', signature = ''] = token.split('.');
    const given = Buffer.from(signature);
    const isSigned = this.#services.secretFor.accepted(SECRET).some((key) => {
      const right = Buffer.from(sign(key, paymentId));
      return given.length === right.length && timingSafeEqual(given, right);
    });
    return v.is(Uuid, paymentId) && isSigned ? paymentId : undefined;
  }

  async charge({ paymentId, methodId, amountMicros }: ChargeRequest): Promise<ChargeResult> {
    const card = methodId.replace(/^test_/, '');
    if (!isTestCard(card)) return { outcome: 'declined', message: DECLINED };
    const { outcome } = TEST_CARDS[card];
    if (outcome === 'declined') return { outcome: 'declined', message: DECLINED };
    if (outcome === 'confirm') return { outcome: 'declined', message: UNCONFIRMED };
    const word = { paymentId, card, amountMicros, message: FAILED_LATER };
    const event = { ...word, type: outcome === 'later' ? 'failed' : 'paid' } as const;
    await this.#services.db.transaction().execute((trx) => this.#tell(trx, event, DELAYS_MS[outcome]));
    return { outcome: 'sent', providerId: `test_${paymentId}` };
  }

  /** Finds a charge while it has stored events; reported ones have ended it. */
  async look({ paymentId }: ChargeRequest): Promise<ChargeResult | undefined> {
    return (await hasWords(this.#services.db, paymentId))
      ? { outcome: 'sent', providerId: `test_${paymentId}` }
      : undefined;
  }

  /** Never needed: its events are jobs in this server's database, and are not lost. */
  ask(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async expire({ paymentId, pageId }: OpenPayment): Promise<MoneyEvent | undefined> {
    await requireTestId(pageId ?? '');
    return (await hasWords(this.#services.db, paymentId))
      ? undefined
      : { id: `expired:${paymentId}`, type: 'canceled', paymentId };
  }

  /** Whether somebody has paid on the page or left it. */
  async isComplete(paymentId: string, db: Db = this.#services.db): Promise<boolean> {
    const payment = await db
      .selectFrom('payments')
      .select('state')
      .where('id', '=', paymentId)
      // Locked, so that of several clicks on the page only the first one counts.
      .$if(db.isTransaction, (query) => query.forNoKeyUpdate())
      .executeTakeFirst();
    return payment === undefined || !ON_PAGE.includes(payment.state) || (await hasWords(db, paymentId));
  }

  /** Pays on the page, or stores a method if the amount is null. Does nothing on a complete page. */
  async pay(paymentId: string, card: TestCard, amountMicros: number | null): Promise<void> {
    const word = { paymentId, card, amountMicros: amountMicros ?? 0, message: FAILED_LATER };
    const { outcome } = TEST_CARDS[card];
    const accepted = [{ ...word, type: 'accepted' }, 0] as const;
    if (amountMicros === null)
      return this.#complete(paymentId, [[{ ...word, type: 'stored' }, outcome === 'late' ? LATE_MS : 0]]);
    if (outcome === 'later') return this.#complete(paymentId, [accepted, [{ ...word, type: 'failed' }, LATER_MS]]);
    // Accepted at once, so that the payer is not asked to pay again before the event.
    if (outcome === 'late') return this.#complete(paymentId, [accepted, [{ ...word, type: 'paid' }, LATE_MS]]);
    await this.#complete(paymentId, [[{ ...word, type: 'paid' }, 0]]);
  }

  /** Leaves the page. Does nothing on a complete page. */
  cancel(paymentId: string): Promise<void> {
    const word = { paymentId, card: '4242424242424242', amountMicros: 0, message: '' } as const;
    return this.#complete(paymentId, [[{ ...word, type: 'canceled' }, 0]]);
  }

  /** Queues the events of a page, unless it is complete. */
  async #complete(paymentId: string, words: readonly (readonly [word: TestWord, afterMs: number])[]): Promise<void> {
    await this.#services.db.transaction().execute(async (trx) => {
      if (await this.isComplete(paymentId, trx)) return;
      for (const [word, afterMs] of words) await this.#tell(trx, word, afterMs);
    });
  }

  forget(methodId: string): Promise<void> {
    return requireTestId(methodId);
  }

  closeCustomer(customerId: string): Promise<void> {
    return requireTestId(customerId);
  }

  /** Reports nothing: test payments have no events outside of this database. */
  async *paymentsSince(): AsyncIterable<MoneyEvent> {}

  async *refundsAndDisputesSince(): AsyncIterable<MoneyEvent> {}

  read(): Promise<never> {
    return Promise.reject(notFound());
  }

  async #tell(trx: Transaction<Schema>, word: TestWord, afterMs: number): Promise<void> {
    const now = new Date(this.#services.clock().getTime() + afterMs);
    const id = randomUUID();
    await trx
      .insertInto('test_payment_words')
      .values({ id, word: JSON.stringify(word) })
      .execute();
    await enqueue(trx, { kind: TEST_EVENT, subject: id, now });
  }
}

/** Whether a payment has events that are not reported yet. */
async function hasWords(db: Db, paymentId: string): Promise<boolean> {
  const words = await db.selectFrom('test_payment_words').select('word').execute();
  return words.some(({ word }) => v.parse(TestWord, JSON.parse(word)).paymentId === paymentId);
}

const sign = (key: Uint8Array, paymentId: string): string =>
  createHmac('sha256', key).update(paymentId).digest('base64url');

/** Reports the events of test payments. */
export function testEventHandler(services: Services): JobHandler {
  return {
    async run(job) {
      const { db } = services;
      const row = await db
        .selectFrom('test_payment_words')
        .select('word')
        .where('id', '=', job.subject)
        .executeTakeFirst();
      if (row !== undefined) await applyPaymentEvent(services, toEvent(v.parse(TestWord, JSON.parse(row.word))));
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('test_payment_words').where('id', '=', job.subject).execute();
        await job.complete(trx);
      });
    },
    waiting: () => Promise.resolve(),
    async givenUp(trx, job) {
      services.log.error({ job: job.id }, 'an event of a test payment was given up');
      await trx.deleteFrom('test_payment_words').where('id', '=', job.subject).execute();
    },
  };
}

/** The event of a word. The same payment and type make the same event id. */
function toEvent({ paymentId, type, card, amountMicros, message }: TestWord): MoneyEvent {
  const id = `evt_test_${paymentId}_${type}`;
  switch (type) {
    case 'paid':
      return { id, type, paymentId, amountMicros, providerId: `test_${paymentId}`, paidWith: namesOf(card) };
    case 'failed':
      return { id, type, paymentId, message };
    case 'stored':
      return { id, type, paymentId, method: methodOf(card) };
    case 'canceled':
    case 'accepted':
      return { id, type, paymentId };
  }
}

const namesOf = (card: TestCard): PaidWith => ({ brand: TEST_CARDS[card].brand, last4: card.slice(-4) });
const methodOf = (card: TestCard): StoredMethod => ({
  id: `test_${card}`,
  ...namesOf(card),
  expires_month: 12,
  expires_year: 2099,
});
