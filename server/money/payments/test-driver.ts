import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { Transaction } from 'kysely';
import * as v from 'valibot';
import { Uuid } from '#contract/fields.ts';
import { notFound } from '../../http/errors.ts';
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
  type PageRequest,
  type PaymentDriver,
  type StoredMethod,
  type Unended,
} from './port.ts';
import { applyPaymentEvent } from './apply-event.ts';

/** The page on which test payments are made. */
export const TEST_PAGE = '/billing/test-payment';
/** The kind of job that tells what became of a test payment: as a provider would, a moment after. Its subject is the row of a {@link Word}. */
export const TEST_EVENT = 'test_payment_event';
/** How much later a payment fails whose card does so, milliseconds. */
const LATER_MS = 3000;
/** How much later a payment is told of whose card has that told late, milliseconds: whoever pays is back before. */
const LATE_MS = 8000;

/** The cards of the test, by number: what becomes of a payment with them. */
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

/** How much later than the charge its end is told, milliseconds. */
const DELAYS_MS = { succeeds: 0, later: LATER_MS, late: LATE_MS } as const;

const DECLINED = 'The card was declined.';
const FAILED_LATER = 'The bank returned the payment.';
const UNCONFIRMED = 'The card needs a confirmation by its owner.';

/** What is told of a payment. */
const Word = v.object({
  paymentId: Uuid,
  type: v.picklist(['paid', 'failed', 'stored', 'canceled', 'accepted']),
  card: CardNumber,
  amountMicros: v.number(),
  message: v.string(),
});
type Word = v.InferOutput<typeof Word>;

const SECRET = 'pages of test payments';

/** What a provider has that is not set up any more is only known there: it waits until that is back. */
const ofTheTest = (id: string): Promise<void> =>
  id.startsWith('test_')
    ? Promise.resolve()
    : Promise.reject(new PaymentUnavailable(new Error(`${id} is not of the test.`)));

/** Payments that move no money: its pages are this server's, its cards say what becomes of a payment. */
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

  /** The payment that a page's token is for; undefined for one that was made up. */
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
    const told = { ...word, type: outcome === 'later' ? 'failed' : 'paid' } as const;
    await this.#services.db.transaction().execute((trx) => this.#tell(trx, told, DELAYS_MS[outcome]));
    return { outcome: 'sent', providerId: `test_${paymentId}` };
  }

  /** What is still to be told of it; what was told has ended it. */
  async look({ paymentId }: ChargeRequest): Promise<ChargeResult | undefined> {
    return (await isTold(this.#services.db, paymentId))
      ? { outcome: 'sent', providerId: `test_${paymentId}` }
      : undefined;
  }

  /** Its words are jobs of this server's own database, and so never lost. */
  ask(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async expire({ paymentId, pageId }: Unended): Promise<MoneyEvent | undefined> {
    await ofTheTest(pageId ?? '');
    return (await isTold(this.#services.db, paymentId))
      ? undefined
      : { id: `expired:${paymentId}`, type: 'canceled', paymentId };
  }

  /** Whether somebody has paid on the page, or left it: nothing else comes of it. */
  async isComplete(paymentId: string, db: Db = this.#services.db): Promise<boolean> {
    const payment = await db
      .selectFrom('payments')
      .select('state')
      .where('id', '=', paymentId)
      // Of several who press a button of it one is the first.
      .$if(db.isTransaction, (query) => query.forNoKeyUpdate())
      .executeTakeFirst();
    return payment === undefined || !ON_PAGE.includes(payment.state) || (await isTold(db, paymentId));
  }

  /** Somebody pays, or stores a method, on the page; on one that is complete, nobody does. Null for an amount: a method is stored. */
  async pay(paymentId: string, card: TestCard, amountMicros: number | null): Promise<void> {
    const word = { paymentId, card, amountMicros: amountMicros ?? 0, message: FAILED_LATER };
    const { outcome } = TEST_CARDS[card];
    const accepted = [{ ...word, type: 'accepted' }, 0] as const;
    if (amountMicros === null)
      return this.#complete(paymentId, [[{ ...word, type: 'stored' }, outcome === 'late' ? LATE_MS : 0]]);
    if (outcome === 'later') return this.#complete(paymentId, [accepted, [{ ...word, type: 'failed' }, LATER_MS]]);
    // Who has paid is not asked to pay again before that is told.
    if (outcome === 'late') return this.#complete(paymentId, [accepted, [{ ...word, type: 'paid' }, LATE_MS]]);
    await this.#complete(paymentId, [[{ ...word, type: 'paid' }, 0]]);
  }

  /** Somebody leaves the page; one that is complete stays so. */
  cancel(paymentId: string): Promise<void> {
    const word = { paymentId, card: '4242424242424242', amountMicros: 0, message: '' } as const;
    return this.#complete(paymentId, [[{ ...word, type: 'canceled' }, 0]]);
  }

  /** Tells what became of a page, if nothing did before. */
  async #complete(paymentId: string, words: readonly (readonly [word: Word, afterMs: number])[]): Promise<void> {
    await this.#services.db.transaction().execute(async (trx) => {
      if (await this.isComplete(paymentId, trx)) return;
      for (const [word, afterMs] of words) await this.#tell(trx, word, afterMs);
    });
  }

  forget(methodId: string): Promise<void> {
    return ofTheTest(methodId);
  }

  closeCustomer(customerId: string): Promise<void> {
    return ofTheTest(customerId);
  }

  /** Nobody refunds or disputes what was not paid. */
  async *charged(): AsyncIterable<MoneyEvent> {}

  async *returned(): AsyncIterable<MoneyEvent> {}

  read(): Promise<never> {
    return Promise.reject(notFound());
  }

  async #tell(trx: Transaction<Schema>, word: Word, afterMs: number): Promise<void> {
    const now = new Date(this.#services.clock().getTime() + afterMs);
    const id = randomUUID();
    await trx
      .insertInto('test_payment_words')
      .values({ id, word: JSON.stringify(word) })
      .execute();
    await enqueue(trx, { kind: TEST_EVENT, subject: id, now });
  }
}

/** Whether something is still to be told of a payment. */
async function isTold(db: Db, paymentId: string): Promise<boolean> {
  const words = await db.selectFrom('test_payment_words').select('word').execute();
  return words.some(({ word }) => v.parse(Word, JSON.parse(word)).paymentId === paymentId);
}

const sign = (key: Uint8Array, paymentId: string): string =>
  createHmac('sha256', key).update(paymentId).digest('base64url');

/** Tells of test payments. */
export function testEventHandler(services: Services): JobHandler {
  return {
    async run(job) {
      const { db } = services;
      const row = await db
        .selectFrom('test_payment_words')
        .select('word')
        .where('id', '=', job.subject)
        .executeTakeFirst();
      if (row !== undefined) await applyPaymentEvent(services, toEvent(v.parse(Word, JSON.parse(row.word))));
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

/** The same word is the same event. */
function toEvent({ paymentId, type, card, amountMicros, message }: Word): MoneyEvent {
  const id = `evt_test_${paymentId}_${type}`;
  switch (type) {
    case 'paid':
      return { id, type, paymentId, amountMicros, providerId: `test_${paymentId}` };
    case 'failed':
      return { id, type, paymentId, message };
    case 'stored':
      return { id, type, paymentId, method: methodOf(card) };
    case 'canceled':
    case 'accepted':
      return { id, type, paymentId };
  }
}

const methodOf = (card: TestCard): StoredMethod => ({
  id: `test_${card}`,
  brand: TEST_CARDS[card].brand,
  last4: card.slice(-4),
  expires_month: 12,
  expires_year: 2099,
});
