import { randomUUID } from 'node:crypto';
import { enterCorrection } from '#server/money/payments/correct.ts';
import { enterMode } from '#server/money/ledger/mode.ts';
import { postDays } from '#server/money/ledger/posting.ts';
import { PaymentUnavailable } from '#server/money/payments/port.ts';
import { reconcile } from '#server/money/payments/reconcile.ts';
import { applyPaymentEvent } from '#server/money/payments/apply-event.ts';
import { takeBackTestPayments } from '#server/money/payments/take-back.ts';
import { storePrices } from '#server/money/usage/price-lists.ts';
import { removeOldUsage } from '#server/money/usage/retention.ts';
import type { Services } from '#server/platform/context.ts';
import { openBorrowedDatabase } from '../../databases.ts';
import { createUser, type TestUser } from '../../harness.ts';
import { removeOrganization } from '../../leaving.ts';
import { openServices } from '../services.ts';
import { useUp } from '../usage/usage.ts';
import { Owner } from './owner.ts';
import type { Behaviour } from './charges.ts';
import { LIVE } from './modes.ts';
import { ModelProvider } from './provider.ts';
import type { Told } from '../payments/paying.ts';
import { Reached } from './reached.ts';
import { work } from './work.ts';
import { sumOf, type Kind, type Line } from './year-books.ts';

const USD = 1_000_000;
/** What an organization begins with, USD. */
const CREDIT = 10;

type TakenAs = Parameters<ModelProvider['take']>[1];

/** Money that the provider has told of, and that no balance is to have. */
export interface RefusedMoney {
  organization: string;
  why: string;
  /** Null of another currency. */
  micros: number | null;
  /** Whether its payment has come since as it should be. */
  isSettled: boolean;
}

/**
 * Organizations, a provider and a clock; what they do in a year, and the script's own list of what that comes to.
 * Amounts in USD, but for `micros`.
 */
export class YearWorld {
  readonly reached: Reached;
  readonly provider: ModelProvider;
  readonly lines: Line[] = [];
  readonly refused: RefusedMoney[] = [];
  services: Services;
  readonly close: () => Promise<void>;
  #now = new Date('2031-01-01T00:00:00Z');
  /** How many of the provider's events were delivered. */
  #delivered = 0;

  private constructor(services: Services, reached: Reached, close: () => Promise<void>) {
    this.services = { ...services, clock: () => this.#now };
    this.reached = reached;
    this.provider = new ModelProvider(this.services.clock);
    this.close = close;
  }

  /** Begins with payments that are tests. */
  static async begin(): Promise<YearWorld> {
    const reached = new Reached();
    const database = await openBorrowedDatabase();
    const { services, close } = await openServices({
      database: { ...database, db: database.db.withPlugin(reached) },
    });
    const world = new YearWorld(services, reached, async () => {
      reached.end();
      await close();
    });
    await storePrices(services.db, new Map([['async', USD]]), world.services.clock);
    await enterMode(services.db, world.services.config, world.services.clock());
    return world;
  }

  /** Payments are real from now on. */
  async goLive(): Promise<void> {
    const { db, config, clock } = this.services;
    this.services = { ...this.services, config: { ...config, stripe: LIVE } };
    await enterMode(db, this.services.config, clock());
    await takeBackTestPayments(this.services);
  }

  /** It is a day of the year 2031, such as 04-28, in the morning; or another time of it. */
  at(day: string, time = '10:00'): void {
    const next = new Date(`2031-${day}T${time}:00Z`);
    if (next < this.#now) throw new Error(`${day} is over.`);
    this.#now = next;
  }

  wait(minutes: number): void {
    this.#now = new Date(this.#now.getTime() + minutes * 60_000);
  }

  /** Writes into the script's list. */
  book(user: TestUser, kind: Kind, usd: number, month = this.#now.toISOString().slice(0, 7)): void {
    this.lines.push({ organization: user.organizationId, month, kind, micros: Math.round(usd * USD) });
  }

  refuse(user: TestUser, why: string, usd: number | null, isSettled = false): void {
    const micros = usd === null ? null : usd * USD;
    this.refused.push({ organization: user.organizationId, why, micros, isSettled });
  }

  async join(): Promise<TestUser> {
    const user = await createUser(this.services);
    this.book(user, 'credits', CREDIT);
    return user;
  }

  /** A request ends, or has ended so many days ago: then it is of the month that is said. */
  async use(user: TestUser, micros: number, late?: { days: number; month: string }): Promise<void> {
    const ended = new Date(this.#now.getTime() - (late?.days ?? 0) * 86_400_000);
    this.book(user, 'usage', -micros / USD, late?.month);
    await useUp(this.services.db, user, micros, ended);
  }

  post = (): Promise<void> => postDays(this.services.db, this.#now);

  owner(user: TestUser): Owner {
    return new Owner(this.services, this.provider, user, this.services.db);
  }

  autopay = (user: TestUser, enabled: boolean): Promise<void> =>
    this.owner(user).settings({ enabled, thresholdCents: 500, amountCents: 2000 });

  /** Somebody opens the page of a payment; of a setup where there is no amount. @returns its id */
  async open(user: TestUser, usd: number | null, id: string = randomUUID()): Promise<string> {
    await this.owner(user).begin(id, usd === null ? null : usd * USD);
    return id;
  }

  /** Somebody wants to, and the provider has no page; it is tried again. */
  async openTwice(user: TestUser, usd: number | null): Promise<string> {
    const id = randomUUID();
    const { openPage } = this.provider;
    this.provider.openPage = () => Promise.reject(new PaymentUnavailable('is broken'));
    const failed = await this.open(user, usd, id).then(
      () => false,
      () => true,
    );
    this.provider.openPage = openPage;
    if (!failed) throw new Error('There is a page all the same.');
    return this.open(user, usd, id);
  }

  /** The provider has a payment by page, or what came instead; nobody is told yet. */
  take(paymentId: string, usd: number, as: TakenAs = 'paid'): void {
    this.provider.take({ key: `page:${paymentId}`, paymentId, amountMicros: usd * USD }, as);
  }

  /** Somebody pays by hand, and all is told. @returns the payment */
  async pay(user: TestUser, usd: number, kind: Kind = 'payments'): Promise<string> {
    const id = await this.open(user, usd);
    this.take(id, usd);
    await this.deliver();
    this.book(user, kind, usd);
    return id;
  }

  async store(user: TestUser, last4: string): Promise<void> {
    const paymentId = await this.open(user, null);
    const method = { id: `pm_${randomUUID()}`, brand: 'Visa', last4, expires_month: 12, expires_year: 2099 };
    await this.tell({ type: 'stored', paymentId, method });
  }

  /** The provider tells of something, as of all before. */
  async tell(event: Told): Promise<void> {
    const charge = this.provider.intents.find(({ paymentId }) => paymentId === event.paymentId);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    this.provider.tell({ providerId: charge?.providerId, ...event } as Parameters<ModelProvider['tell']>[0]);
    await this.deliver();
  }

  async deliver(): Promise<void> {
    const { events } = this.provider;
    for (; this.#delivered < events.length; this.#delivered += 1) {
      const event = events[this.#delivered];
      if (event === undefined) continue;
      this.provider.told.add(event.id);
      await applyPaymentEvent(this.services, event);
    }
  }

  /** One job is run. */
  async once(behaviour: Behaviour): Promise<string> {
    this.provider.behaviour = behaviour;
    return work(this.services, this.provider);
  }

  /** Charges that are due are taken, and told. @returns the payment of the last */
  async charge(user: TestUser, usd: number): Promise<string> {
    while ((await this.once('takes')) !== 'no job');
    await this.deliver();
    this.book(user, 'payments', usd);
    return this.provider.intents.at(-1)?.paymentId ?? '';
  }

  async reconcile(): Promise<void> {
    this.provider.behaviour = 'takes';
    await reconcile(this.services, this.provider);
  }

  /** The operator gives, or puts right. */
  async enter(user: TestUser, kind: 'credit' | 'correction', usd: number): Promise<void> {
    const correction = { organizationId: user.organizationId, kind, micros: usd * USD, reference: randomUUID() };
    await enterCorrection(this.services, { ...correction, description: 'By hand' });
    this.book(user, `${kind}s`, usd);
  }

  /** What is left is lost. */
  async remove(user: TestUser): Promise<void> {
    await removeOrganization(this.services, user, this.#now);
    const left = sumOf(this.lines.filter(({ organization }) => organization === user.organizationId));
    this.book(user, 'corrections', -left / USD);
  }

  /** Requests of the months before go. */
  prune = (day: string): Promise<number> =>
    removeOldUsage({
      ...{ db: this.services.db, now: this.#now, before: new Date(`2031-${day}T00:00:00Z`) },
      ...{ batch: 100, isStopped: () => false },
    });
}
