import { postDays } from '#server/money/ledger/posting.ts';
import { proveLedger, type Imbalance } from '#server/money/ledger/prove.ts';
import { abortLiveSessions } from '#server/money/usage/record.ts';
import type { MoneyEvent } from '#server/money/payments/port.ts';
import { reconcile } from '#server/money/payments/reconcile.ts';
import { applyPaymentEvent } from '#server/money/payments/apply-event.ts';
import type { Services } from '#server/platform/context.ts';
import type { Db } from '#server/platform/db/database.ts';
import { databaseNow } from '#server/platform/db/now.ts';
import { Clocks } from './clocks.ts';
import { proveEnds } from './ends.ts';
import type { Fault } from './fault.ts';
import { isExpected } from './gone.ts';
import { Outside } from './outside.ts';
import { Modes } from './modes.ts';
import { proveAutopay } from './moves.ts';
import { proveInTime } from './in-time.ts';
import { lostOf, provenBooks, provenGone } from './proof.ts';
import { ModelProvider } from './provider.ts';
import { Starts } from './starts.ts';
import { pick, type Step, type Stride, type Wait } from './steps.ts';
import { Tenant } from './tenant.ts';
import { nextJob, work } from './work.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** What everything costs at the end, micro-USD. */
const LAST_PER_HOUR = 1_000_000;

/** Two organizations, their provider, and a process that ends now and then; with all that must be true of them whatever happens. */
export class World {
  readonly #services: Services;
  readonly #fault: Fault;
  /** Of one who never ends. */
  readonly #db: Db;
  readonly #provider: ModelProvider;
  readonly #outside: Outside;
  readonly #modes: Modes;
  readonly #starts: Starts;
  /** Events that were handled for certain. */
  readonly #handled = new Set<string>();
  /** Events that nobody will be told of. */
  readonly #lost = new Set<string>();
  /** What the log says that no payment may. */
  readonly #strange: string[];
  /** When all were taken for dead for certain whose process was silent. */
  #sweptAt: Date | undefined;
  #tenants: readonly Tenant[] = [];
  readonly #clocks = new Clocks();

  /** @param services of a process that ends by `fault`; `db` is of one who never ends, `strange` what the log says that must not be */
  constructor(services: Services, fault: Fault, db: Db, strange: string[]) {
    const clocks = this.#clocks;
    this.#services = { ...services, db: services.db.withPlugin(clocks), clock: () => new Date(clocks.shown) };
    this.#starts = new Starts(this.#services);
    this.#fault = fault;
    this.#db = db.withPlugin(clocks);
    this.#strange = strange;
    this.#provider = new ModelProvider(
      () => new Date(clocks.now),
      () => fault.die(),
    );
    this.#outside = new Outside(this.#provider);
    this.#modes = new Modes(this.#services, this.#outside, this.#provider);
  }

  async begin(): Promise<void> {
    await this.#modes.begin(this.#db);
    const shared = {
      ...{ services: this.#services, db: this.#db, provider: this.#provider, outside: this.#outside },
      ...{
        handled: this.#handled,
        ...{ modes: this.#modes, starts: this.#starts, clocks: this.#clocks },
        deliver: (event: MoneyEvent | undefined) => this.#deliver(event),
      },
    };
    for (const of of [0, 1] as const) this.#tenants = [...this.#tenants, await Tenant.create(of, shared)];
  }

  /** Goes one stride, and shows that all is right after it. */
  async go({ steps, crashAfter }: Stride): Promise<void> {
    await this.#each((tenant) => tenant.prepare(steps));
    this.#sweptAt = undefined;
    this.#fault.arm(crashAfter ?? Infinity);
    const done = await Promise.allSettled(steps.map((step) => this.#do(step)));
    this.#fault.arm(Infinity);
    await proveAutopay(
      this.#db,
      this.#organizations,
      steps.map((step) => step.do),
    );
    const areDone = done.every(({ status }) => status === 'fulfilled');
    await this.#each((tenant) => tenant.compare(steps, areDone));
    await this.#starts.prove(this.#db);
    const sweptAt = steps.length === 1 ? this.#sweptAt : undefined;
    await this.#each(({ sessions }) => sessions.look(this.#db, sweptAt));
    const isGone = (of: 0 | 1): boolean => this.#tenants[of]?.isGone === true;
    for (const [at, one] of done.entries())
      if (one.status === 'rejected' && !isExpected(one.reason, steps, at, isGone)) throw one.reason;
    await this.#check();
    await proveInTime(this.#db, this.#organizations, this.#clocks);
    this.#clocks.step();
  }

  async #do(step: Step): Promise<void> {
    const { db, clock } = this.#services;
    const clocks = this.#clocks;
    if ('of' in step) {
      const tenant = this.#tenants[step.of];
      // Who had an organization can make another.
      return tenant === undefined || (tenant.isGone && step.do !== 'found') ? undefined : tenant.do(step);
    }
    switch (step.do) {
      case 'wait':
        return clocks.pass(step.minutes * MINUTE_MS);
      case 'clock':
        clocks.setAhead(step.minutes, step.strides);
        return clocks.prove(await databaseNow(this.#db, clock));
      case 'take for dead': {
        clocks.pass(step.minutes * MINUTE_MS);
        const now = new Date(clocks.now);
        await abortLiveSessions(db, now);
        this.#sweptAt = now;
        return undefined;
      }
      case 'post':
        await this.#modes.takeBack();
        return postDays(db, clock());
      case 'start':
        return this.#starts.start(step.perHour);
      case 'live':
        return this.#modes.goLive();
      case 'work':
        this.#provider.behaviour = step.behaviour;
        await this.#wait(step.waits);
        await work(this.#services, this.#provider);
        return undefined;
      case 'deliver':
        return this.#deliver(pick(this.#undelivered, step.which));
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
      case 'page':
      case 'expire':
        return this.#outside.endPage(step.which, step.do === 'page' ? step.ends : undefined);
      case 'refund':
        return this.#outside.refund(step);
      case 'dispute':
        return this.#outside.dispute(step);
      case 'second':
        return this.#outside.second(step.which);
    }
  }

  async #each(look: (tenant: Tenant) => Promise<void>): Promise<void> {
    await Promise.all(this.#tenants.map(look));
  }

  get #organizations(): string[] {
    return this.#tenants.map(({ user }) => user.organizationId);
  }

  get #undelivered(): MoneyEvent[] {
    const { events, late } = this.#provider;
    return [...events, ...late].filter(({ id }) => !this.#handled.has(id) && !this.#lost.has(id));
  }

  async #wait(waits: Wait): Promise<void> {
    const clocks = this.#clocks;
    if (waits === 'for 70 minutes') clocks.pass(70 * MINUTE_MS);
    if (waits === 'for 25 hours') clocks.pass(DAY_MS + 60 * MINUTE_MS);
    if (waits === 'until one is due')
      clocks.pass(Math.max(0, (await nextJob(this.#db, this.#organizations)) + 1 - clocks.shown));
  }

  async #deliver(event: MoneyEvent | undefined): Promise<void> {
    if (event === undefined) return;
    this.#provider.tellingOf(event);
    const isTest = this.#provider.tests.has(event.paymentId);
    await applyPaymentEvent(isTest ? this.#modes.test : this.#services, event);
    (isTest ? this.#lost : this.#handled).add(event.id);
  }

  async #check(): Promise<void> {
    await this.#hearOfAnswers();
    // Of a payment that is not told yet, refunds and disputes may have been.
    const [all, ...proofs] = await Promise.all([
      this.#imbalances(),
      ...this.#tenants.map(({ isGone, happened }) => (isGone ? provenGone(happened) : provenBooks(happened))),
    ]);
    const imbalances = all.filter(({ what }) => what !== 'unpaid');
    const books = imbalances.length > 0 ? [`books: ${JSON.stringify(imbalances)}`] : [];
    const wrong = [...books, ...proofs.flat(), ...this.#strange];
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  }

  /** Of its own organizations: those of a world that failed are wrong for good. */
  async #imbalances(): Promise<Imbalance[]> {
    return (await proveLedger(this.#db)).filter(({ organizationId }) => this.#organizations.includes(organizationId));
  }

  /** What the provider has answered, and the process has written down, was handled as the event would be. */
  async #hearOfAnswers(): Promise<void> {
    const { asked } = this.#provider;
    if (asked.size === 0) return;
    const known = await this.#db
      .selectFrom('payment_events')
      .select('id')
      .where('id', 'in', [...asked.keys()])
      .execute();
    for (const { id } of known) this.#handled.add(asked.get(id) ?? '');
  }

  /** Lets everything come to its end, and shows that the balance is what moved, and that no charge is left without an end. Then it goes. */
  async end(): Promise<void> {
    this.#provider.held.clear();
    this.#clocks.setRight();
    const left = this.#tenants.filter(({ isGone }) => !isGone);
    for (const tenant of left) {
      await tenant.requests.finish();
      await tenant.sessions.finish();
      await tenant.acts.enterAll();
      await tenant.acts.settings({ enabled: false, thresholdCents: 0, amountCents: 500 });
    }
    await this.#applyPaymentEvent();
    for (const tenant of left) {
      await postDays(this.#services.db, new Date(this.#clocks.now + 40 * DAY_MS));
      await this.#check();
      await proveEnds(this.#db, tenant, new Date(this.#clocks.now));
    }
    if (left.length > 0) {
      // Once somebody has reset it, autopay charges again, whatever was before.
      await this.#starts.start(LAST_PER_HOUR);
      for (const tenant of left) await tenant.needCharge();
      this.#outside.endPages();
      await this.#applyPaymentEvent();
      for (const tenant of left) await tenant.proveCharged();
    }
    for (const tenant of left) {
      await tenant.acts.clear();
      await tenant.acts.delete();
      await tenant.look();
      if (!tenant.isGone) throw new Error('The organization is still there.');
      await tenant.acts.found(true);
      await tenant.proveCredit();
    }
    // Of their payments money still goes back, and returns; another charge finds nobody.
    const dispute = { do: 'dispute', percent: 100, asks: true, fee: 'kept' } as const;
    for (const [which, ends] of (['lost', 'won', 'won in part'] as const).entries()) {
      this.#outside.dispute({ ...dispute, which, ends, isForeign: false, isOld: false });
      this.#outside.refund({ do: 'refund', which, percent: 10, fails: true, isForeign: false });
    }
    this.#outside.second(0);
    await this.#applyPaymentEvent();
    for (const { customer } of this.#tenants)
      if (!this.#provider.closed.has(customer)) throw new Error('The customer is still there.');
    await proveAutopay(this.#db, this.#organizations);
  }

  /** Time passes until there is nothing more to do. */
  async #applyPaymentEvent(): Promise<void> {
    for (let round = 0; round < 20; round += 1) {
      for (let job = 0; job < this.#tenants.length; job += 1)
        await this.#do({ do: 'work', behaviour: 'takes', waits: 'until one is due' });
      for (const event of this.#undelivered) await this.#deliver(event);
      this.#clocks.pass(7 * 60 * MINUTE_MS);
      await this.#modes.takeBack();
      await this.#do({ do: 'reconcile', behaviour: 'takes' });
      // A page ends after a day.
      const isIdle = this.#undelivered.length === 0 && (await nextJob(this.#db, this.#organizations)) === 0;
      if (round >= 6 && isIdle) break;
    }
    await this.#check();
    const imbalances = await this.#imbalances();
    if (imbalances.length > 0) throw new Error(`books: ${JSON.stringify(imbalances)}`);
    for (const { happened } of this.#tenants) {
      const lost = await lostOf(happened);
      if (lost.length > 0) throw new Error(lost.join('\n'));
    }
  }
}
