import { randomUUID } from 'node:crypto';
import { ApiProblem } from '#server/http/errors.ts';
import { postDays } from '#server/money/ledger/posting.ts';
import type { MoneyEvent } from '#server/money/payments/port.ts';
import { reconcile } from '#server/money/payments/reconcile.ts';
import { settle } from '#server/money/payments/settle.ts';
import { keepPrices } from '#server/money/usage/price-lists.ts';
import type { Services } from '#server/platform/context.ts';
import type { Database, Db } from '#server/platform/db/database.ts';
import { createUser, type TestUser } from '../../harness.ts';
import { accountOf, paymentsOf } from '../books.ts';
import { openServices } from '../services.ts';
import { Crash, Fault } from './fault.ts';
import {
  certainCauses,
  holdOf,
  mayLift,
  openDisputes,
  proveBooks,
  proveComplete,
  proveGone,
  proveHeld,
  proveMoves,
  type Happened,
} from './proof.ts';
import { Owner } from './owner.ts';
import { Outside } from './outside.ts';
import { ModelProvider } from './provider.ts';
import { Requests } from './requests.ts';
import { pick, type Step, type Stride, type Wait } from './steps.ts';
import { nextJob, work } from './work.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What happens whether an organization is there or not. */
const OUTLIVING: ReadonlySet<Step['do']> = new Set([
  ...(['work', 'deliver', 'deliver again', 'lose', 'reconcile', 'wait', 'post', 'refund', 'dispute'] as const),
]);

/** One organization, its provider, and a process that ends now and then; with all that must be true of them whatever happens. */
export class World {
  readonly #services: Services;
  readonly #fault: Fault;
  /** Of one who never ends. */
  readonly #db: Db;
  readonly #owner: TestUser;
  readonly #provider: ModelProvider;
  readonly #requests: Requests;
  readonly #acts: Owner;
  readonly #outside: Outside;
  /** Events that were handled for certain. */
  readonly #handled = new Set<string>();
  /** Disputes that a reset may have ended. */
  readonly #lifted = new Set<string>();
  /** Events that nobody will be told of. */
  readonly #lost = new Set<string>();
  #isGone = false;
  #now = Date.parse('2026-03-01T20:00:00Z');

  private constructor(services: Services, fault: Fault, db: Db, owner: TestUser) {
    this.#services = { ...services, clock: () => new Date(this.#now) };
    this.#fault = fault;
    this.#db = db;
    this.#owner = owner;
    this.#provider = new ModelProvider(this.#services.clock, () => fault.die());
    this.#requests = new Requests(services.db, owner.projectId);
    this.#outside = new Outside(this.#provider);
    this.#acts = new Owner(this.#services, this.#provider, owner, db);
  }

  /** Opens what worlds of one database share. */
  static async on(database: Database): Promise<{ create: () => Promise<World>; close: () => Promise<void> }> {
    const fault = new Fault();
    const { services, close } = await openServices({
      database: { ...database, db: database.db.withPlugin(fault) },
    });
    // Where nothing has a price, nothing is charged and nobody pays.
    await keepPrices(database.db, new Map([['async', 1_000_000]]), services.clock());
    return {
      create: async () => {
        // Of another that failed.
        await database.db.deleteFrom('jobs').execute();
        const owner = await createUser(services);
        const world = new World(services, fault, database.db, owner);
        await world.#do({ do: 'set up' });
        await world.#do({ do: 'settings', enabled: true, thresholdCents: 500, amountCents: 2000 });
        return world;
      },
      close,
    };
  }

  /** Goes one stride, and shows that all is right after it. */
  async go({ steps, crashAfter }: Stride): Promise<void> {
    const [before, payments] = [
      await holdOf(this.#db, this.#owner),
      await paymentsOf(this.#db, this.#owner.organizationId),
    ];
    this.#provider.held = steps.some((step) => mayLift(step, before))
      ? undefined
      : (before.why ?? openDisputes(this.#happened, this.#lifted)[0]);
    this.#fault.arm(crashAfter ?? Infinity);
    const done = await Promise.allSettled(steps.map((step) => this.#do(step)));
    this.#fault.arm(Infinity);
    await this.#lookWhetherGone();
    for (const one of done) if (one.status === 'rejected' && !this.#isExpected(one.reason)) throw one.reason;
    if (!this.#isGone) proveHeld(before, await holdOf(this.#db, this.#owner), steps);
    if (steps.some(({ do: does }) => does === 'reset'))
      for (const event of this.#provider.events)
        if (event.type === 'disputed' && this.#provider.told.has(event.id)) this.#lifted.add(event.disputeId);
    proveMoves(payments, await paymentsOf(this.#db, this.#owner.organizationId));
    await this.#check();
  }

  /** What is asked of an organization that goes at the same time finds none. */
  #isExpected(reason: unknown): boolean {
    return reason instanceof Crash || (this.#isGone && reason instanceof ApiProblem && reason.status === 404);
  }

  async #lookWhetherGone(): Promise<void> {
    this.#isGone = (await accountOf(this.#db, this.#owner.organizationId))?.closed_at !== null;
  }

  async #do(step: Step): Promise<void> {
    const { db, clock } = this.#services;
    if (this.#isGone && !OUTLIVING.has(step.do)) return undefined;
    switch (step.do) {
      case 'request':
        return this.#requests.add(step.audioMs, new Date(this.#now - step.lateMinutes * MINUTE_MS));
      case 'write again':
        return this.#requests.write(pick(this.#requests.all, step.which));
      case 'put right':
        return this.#requests.putRight(
          pick(
            this.#requests.all.filter(({ state }) => state === 'written'),
            step.which,
          ),
          step.audioMs,
        );
      case 'reprice':
        return this.#requests.reprice(step.perHour);
      case 'wait':
        this.#now += step.minutes * MINUTE_MS;
        return undefined;
      case 'post':
        return postDays(db, clock());
      case 'work':
        this.#provider.behaviour = step.behaviour;
        await this.#wait(step.waits);
        await work(this.#services, this.#provider);
        return undefined;
      case 'deliver':
        return this.#deliver(
          pick(
            this.#provider.events.filter(({ id }) => !this.#handled.has(id) && !this.#lost.has(id)),
            step.which,
          ),
        );
      case 'lose': {
        const lost = pick(this.#provider.events, step.which);
        if (lost !== undefined) this.#lost.add(lost.id);
        return undefined;
      }
      case 'reconcile':
        this.#provider.behaviour = step.behaviour;
        return reconcile(this.#services, this.#provider);
      case 'deliver again':
        return this.#deliver(pick(this.#provider.events, step.which));
      case 'settings':
        return this.#acts.settings(step);
      case 'reset':
        return this.#acts.reset();
      case 'remove':
        return this.#acts.remove();
      case 'set up':
        return this.#setUp();
      case 'pay':
        return this.#pay(step.cents * 10_000);
      case 'page':
      case 'expire':
        return this.#outside.endPage(step.which, step.do === 'page' ? step.ends : undefined);
      case 'refund':
        return this.#outside.refund(step);
      case 'dispute':
        return this.#outside.dispute(step);
      case 'correct':
        return this.#acts.correct(step.micros);
      case 'delete':
        return step.isMeant ? this.#acts.delete() : undefined;
    }
  }

  async #wait(waits: Wait): Promise<void> {
    if (waits === 'for 70 minutes') this.#now += 70 * MINUTE_MS;
    if (waits === 'for 25 hours') this.#now += DAY_MS + 60 * MINUTE_MS;
    if (waits === 'until one is due')
      this.#now = Math.max(this.#now, (await nextJob(this.#db, this.#owner.organizationId)) + 1);
  }

  async #deliver(event: MoneyEvent | undefined): Promise<void> {
    if (event === undefined) return;
    this.#provider.told.add(event.id);
    await settle(this.#services, event);
    this.#handled.add(event.id);
  }

  async #setUp(): Promise<void> {
    const attempt = randomUUID();
    await this.#acts.begin(attempt, null);
    const id = `pm_${attempt}`;
    const method = { id, brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 };
    this.#provider.tell({ type: 'stored', paymentId: attempt, method });
    await this.#deliver(this.#provider.events.at(-1));
  }

  async #pay(amountMicros: number): Promise<void> {
    const paymentId = randomUUID();
    await this.#acts.begin(paymentId, amountMicros);
    this.#outside.open(paymentId, amountMicros);
  }

  get #happened(): Happened {
    const { all: requests } = this.#requests;
    const [db, owner, provider] = [this.#db, this.#owner, this.#provider];
    return { db, owner, provider, requests, corrections: this.#acts.corrections, handled: this.#handled };
  }

  #check(): Promise<void> {
    return this.#isGone ? proveGone(this.#happened) : proveBooks(this.#happened);
  }

  /** Lets everything come to its end, and shows that the balance is what moved, and that no charge is left without an end. Then it goes. */
  async end(): Promise<void> {
    this.#provider.held = undefined;
    if (!this.#isGone) {
      await this.#requests.finish();
      await this.#acts.enterAll();
      await this.#do({ do: 'settings', enabled: false, thresholdCents: 0, amountCents: 500 });
    }
    await this.#settle();
    if (!this.#isGone) {
      await postDays(this.#services.db, new Date(this.#now + 40 * DAY_MS));
      await this.#proveEnds();
      this.#outside.leavePages();
      await this.#settle();
      await this.#acts.clear();
      await this.#acts.delete();
      await this.#lookWhetherGone();
      if (!this.#isGone) throw new Error('The organization is still there.');
      // What is told of its payments now finds nobody.
      for (const which of [0, 1]) {
        this.#outside.dispute({ do: 'dispute', which, isWon: false });
        this.#outside.refund({ do: 'refund', which, percent: 10, fails: true, isForeign: false });
      }
      await this.#settle();
    }
    await this.#check();
    const customer = `customer-${this.#owner.organizationId}`;
    if (!this.#provider.closed.has(customer)) throw new Error('The customer is still there.');
  }

  /** Time passes until there is nothing more to do. */
  async #settle(): Promise<void> {
    for (let round = 0; round < 20; round += 1) {
      await this.#do({ do: 'work', behaviour: 'takes', waits: 'until one is due' });
      for (const event of this.#provider.events)
        if (!this.#handled.has(event.id) && !this.#lost.has(event.id)) await this.#deliver(event);
      this.#now += 7 * 60 * MINUTE_MS;
      await this.#do({ do: 'reconcile', behaviour: 'takes' });
    }
    await this.#check();
    await proveComplete(this.#happened);
  }

  async #proveEnds(): Promise<void> {
    await this.#check();
    const { organizationId } = this.#owner;
    const balance = (await accountOf(this.#db, organizationId))?.balance_micros;
    const moved = [...certainCauses(this.#happened).values()].reduce((sum, micros) => sum + micros, 0);
    const used = this.#requests.all.reduce((sum, { end }) => sum + (end.cost_micros ?? 0), 0);
    if (balance !== moved - used) throw new Error(`The balance is ${balance}, and should be ${moved} - ${used}.`);
    const payments = await paymentsOf(this.#db, organizationId);
    const left = payments.filter(({ state }) => state === 'due' || state === 'sent');
    if (left.length > 0) throw new Error(`Charges have no end: ${JSON.stringify(left)}`);
  }
}
