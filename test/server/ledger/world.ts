import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { begin, removeMethod, resetError } from '#server/money/billing/paying.ts';
import { updateSettings } from '#server/money/billing/settings.ts';
import { AUTOPAY } from '#server/money/ledger/arm.ts';
import { enterCorrection } from '#server/money/ledger/correct.ts';
import { postDays } from '#server/money/ledger/posting.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { autopayHandler, chargeBackoff } from '#server/money/payments/autopay.ts';
import { PaymentUnavailable, type MoneyEvent } from '#server/money/payments/port.ts';
import { reconcile } from '#server/money/payments/reconcile.ts';
import { settle } from '#server/money/payments/settle.ts';
import { keepPrices } from '#server/money/usage/price-lists.ts';
import { costOf } from '#server/money/usage/prices.ts';
import { addUsage, replaceUsage, type UsageEnd } from '#server/money/usage/rows.ts';
import { loadConfig } from '#server/platform/config.ts';
import { createServices, type Services } from '#server/platform/context.ts';
import type { Database, Db } from '#server/platform/db/database.ts';
import { claim, Hold, LeaseLost } from '#server/platform/jobs/queue.ts';
import { createLog } from '#server/platform/log.ts';
import { createUser, type TestUser } from '../harness.ts';
import { ended } from '../usage.ts';
import { testFolder } from '../template.ts';
import { Crash, Fault } from './fault.ts';
import { isOfPayment, ModelProvider } from './provider.ts';
import type { Step, Stride, Wait } from './steps.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LEASE_MS = 30_000;
const CREDIT = 10_000_000;

/** A request, as its engine knows it. */
interface Request {
  end: UsageEnd;
  /** Whether it is written, or changed, for certain: a process that ends before it has heard of it cannot tell. */
  state: 'tried' | 'written' | 'changing';
}

interface Corrected {
  reference: string;
  micros: number;
  isEntered: boolean;
}

const pick = <T>(from: readonly T[], which: number): T | undefined => from[which % Math.max(1, from.length)];

/** One organization, its provider, and a process that ends now and then; with all that must be true of them whatever happens. */
export class World {
  readonly #services: Services;
  readonly #fault: Fault;
  /** Of one who never ends. */
  readonly #db: Db;
  readonly #owner: TestUser;
  readonly #provider: ModelProvider;
  readonly #requests: Request[] = [];
  readonly #corrections: Corrected[] = [];
  /** Pages that are open. */
  readonly #pages: { paymentId: string; amountMicros: number; ended: boolean }[] = [];
  /** Events that were handled for certain. */
  readonly #handled = new Set<string>();
  /** Events that nobody will be told of. */
  readonly #lost = new Set<string>();
  #prices = new Map([['async', 1_000_000]]);
  #now = Date.parse('2026-03-01T20:00:00Z');

  private constructor(services: Services, fault: Fault, db: Db, owner: TestUser) {
    this.#services = { ...services, clock: () => new Date(this.#now) };
    this.#fault = fault;
    this.#db = db;
    this.#owner = owner;
    this.#provider = new ModelProvider(this.#services.clock, () => fault.die());
  }

  /** Opens what worlds of one database share. */
  static async on(database: Database): Promise<{ create: () => Promise<World>; close: () => Promise<void> }> {
    const dataDir = await mkdtemp(join(testFolder, 'ledger-'));
    const fault = new Fault();
    const services = await createServices(loadConfig({ PORT: '0', DATA_DIR: dataDir }), {
      log: createLog('silent'),
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
      close: async () => {
        await services.closing.run();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  }

  /** Goes one stride, and shows that all is right after it. */
  async go({ steps, crashAfter }: Stride): Promise<void> {
    this.#fault.arm(crashAfter ?? Infinity);
    const done = await Promise.allSettled(steps.map((step) => this.#do(step)));
    this.#fault.arm(Infinity);
    for (const one of done) if (one.status === 'rejected' && !(one.reason instanceof Crash)) throw one.reason;
    await this.check();
  }

  async #do(step: Step): Promise<void> {
    const { db, clock } = this.#services;
    const { organizationId } = this.#owner;
    switch (step.do) {
      case 'request':
        return this.#request(step.audioMs, step.lateMinutes);
      case 'write again':
        return this.#write(pick(this.#requests, step.which));
      case 'put right':
        return this.#putRight(
          pick(
            this.#requests.filter(({ state }) => state === 'written'),
            step.which,
          ),
          step.audioMs,
        );
      case 'reprice':
        this.#prices = new Map(step.perHour === 0 ? [] : [['async', step.perHour]]);
        return undefined;
      case 'wait':
        this.#now += step.minutes * MINUTE_MS;
        return undefined;
      case 'post':
        return postDays(db, clock());
      case 'work':
        this.#provider.behaviour = step.behaviour;
        return this.#work(step.waits);
      case 'deliver':
        return this.#deliver(
          pick(
            this.#provider.events.filter(({ id }) => !this.#handled.has(id) && !this.#lost.has(id)),
            step.which,
          ),
        );
      case 'lose': {
        const lost = pick(this.#provider.events.filter(isOfPayment), step.which);
        if (lost !== undefined) this.#lost.add(lost.id);
        return undefined;
      }
      case 'reconcile':
        this.#provider.behaviour = step.behaviour;
        return reconcile(this.#services, this.#provider);
      case 'deliver again':
        return this.#deliver(pick(this.#provider.events, step.which));
      case 'settings':
        return this.#settings(step);
      case 'reset':
        await resetError(this.#paying, this.#act, organizationId);
        return undefined;
      case 'remove':
        await removeMethod(this.#paying, this.#act, organizationId);
        return undefined;
      case 'set up':
        return this.#setUp();
      case 'pay':
        return this.#pay(step.cents * 10_000);
      case 'page':
      case 'expire':
        return this.#endPage(step.which, step.do === 'page' ? step.ends : undefined);
      case 'refund':
        return this.#refund(step);
      case 'dispute':
        return this.#dispute(step);
      case 'correct':
        return this.#correct(step.micros);
    }
  }

  get #paying() {
    return { services: this.#services, driver: this.#provider };
  }
  get #act() {
    const { userId, email } = this.#owner;
    return { userId, email, requestId: 'r', at: this.#services.clock() };
  }

  async #request(audioMs: number, lateMinutes: number): Promise<void> {
    const ended_at = new Date(this.#now - lateMinutes * MINUTE_MS);
    const request = {
      end: ended({ project_id: this.#owner.projectId, ended_at, ...this.#priced(audioMs) }),
      state: 'tried' as const,
    };
    this.#requests.push(request);
    await this.#write(request);
  }

  #priced(audioMs: number): { audio_ms: number; cost_micros: number | null } {
    const cost_micros = costOf(this.#prices, { kind: 'async', model: 'm', status: 'completed', audioMs });
    return { audio_ms: audioMs, cost_micros };
  }

  async #write(request: Request | undefined): Promise<void> {
    if (request === undefined || request.state === 'changing') return;
    await this.#services.db.transaction().execute((trx) => addUsage(trx, [request.end]));
    if (request.state === 'tried') request.state = 'written';
  }

  async #putRight(request: Request | undefined, audioMs: number): Promise<void> {
    if (request === undefined) return;
    request.state = 'changing';
    const end = { ...request.end, ...this.#priced(audioMs) };
    request.end = end;
    await this.#services.db.transaction().execute((trx) => replaceUsage(trx, end));
    request.state = 'written';
  }

  /** What a worker does with a job, but that it ends with its process. */
  async #work(waits: Wait): Promise<void> {
    const { db, clock } = this.#services;
    if (waits === 'for 70 minutes') this.#now += 70 * MINUTE_MS;
    if (waits === 'for 25 hours') this.#now += DAY_MS + 60 * MINUTE_MS;
    if (waits === 'until one is due') {
      const { rows } = await sql<{
        at: Date | null;
      }>`select min(case when jobs.state = 'ready' then jobs.run_at else jobs.lease_until end) as at
        from jobs join payments on payments.id = jobs.subject where payments.organization_id = ${this.#owner.organizationId}`.execute(
        this.#db,
      );
      this.#now = Math.max(this.#now, (rows[0]?.at?.getTime() ?? 0) + 1);
    }
    const worker = randomUUID();
    const job = await claim(db, { kinds: [AUTOPAY], worker, now: clock(), leaseMs: LEASE_MS, putOffMs: 4 * DAY_MS });
    if (job === undefined) return;
    const [hold, handler] = [new Hold(job, worker), autopayHandler(this.#services, this.#provider)];
    try {
      await handler.run({
        ...job,
        signal: new AbortController().signal,
        complete: (trx) => hold.complete(trx),
        postpone: (until) => hold.giveBack(db, until),
        reached: () => Promise.resolve(),
      });
    } catch (error) {
      if (error instanceof LeaseLost) return;
      if (!(error instanceof PaymentUnavailable)) throw error;
      await db
        .transaction()
        .execute(async (trx) => {
          await handler.lock?.(trx, job);
          await hold.retry(trx, new Date(this.#now + chargeBackoff(job.attempts)), String(error));
          await handler.waiting(trx, job);
        })
        // Another has it: time passed meanwhile.
        .catch((failure: unknown) => {
          if (!(failure instanceof LeaseLost)) throw failure;
        });
    }
  }

  async #deliver(event: MoneyEvent | undefined): Promise<void> {
    if (event === undefined) return;
    this.#provider.told.add(event.id);
    await settle(this.#services, event);
    this.#handled.add(event.id);
  }

  async #settings({ enabled, thresholdCents, amountCents }: Step & { do: 'settings' }): Promise<void> {
    const { organizationId } = this.#owner;
    const { method_id } = await this.#db
      .selectFrom('accounts')
      .select('method_id')
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow();
    await updateSettings(this.#services.db, this.#act, organizationId, {
      autopay: {
        enabled: enabled && method_id !== null,
        threshold_micros: thresholdCents * 10_000,
        amount_micros: amountCents * 10_000,
      },
    });
  }

  async #setUp(): Promise<void> {
    const attempt = randomUUID();
    await this.#begin(attempt, null);
    const id = `pm_${attempt}`;
    const method = { id, brand: 'Visa', last4: '4242', expires_month: 12, expires_year: 2099 };
    this.#provider.tell({ type: 'stored', paymentId: attempt, method });
    await this.#deliver(this.#provider.events.at(-1));
  }

  async #pay(amountMicros: number): Promise<void> {
    const paymentId = randomUUID();
    await this.#begin(paymentId, amountMicros);
    this.#pages.push({ paymentId, amountMicros, ended: false });
  }

  async #begin(attempt: string, amountMicros: number | null): Promise<void> {
    // How often somebody may begin is not what is looked at.
    await this.#db.deleteFrom('rate_limits').execute();
    await begin(this.#paying, this.#act, this.#owner.organizationId, { attempt, amountMicros });
  }

  #endPage(which: number, ends: 'paid' | 'declined' | 'failing' | undefined): void {
    const page = pick(
      this.#pages.filter(({ ended: isOver }) => !isOver),
      which,
    );
    if (page === undefined) return;
    const { paymentId, amountMicros } = page;
    page.ended = true;
    if (ends === undefined) return this.#provider.tell({ type: 'canceled', paymentId });
    if (ends === 'failing') this.#provider.tell({ type: 'accepted', paymentId });
    this.#provider.take({ key: `page:${paymentId}`, paymentId, amountMicros }, ends);
  }

  #refund({ which, percent, fails }: Step & { do: 'refund' }): void {
    const intent = pick(
      this.#provider.intents.filter(
        ({ state, refundedMicros, isDisputed }) => state === 'paid' && refundedMicros === 0 && !isDisputed,
      ),
      which,
    );
    if (intent === undefined) return;
    const event = {
      paymentId: intent.paymentId,
      refundId: randomUUID(),
      amountMicros: (intent.amountMicros * percent) / 100,
    };
    intent.refundedMicros = event.amountMicros;
    this.#provider.tell({ ...event, type: 'refunded' });
    if (fails) this.#provider.tell({ ...event, type: 'refund_failed' });
  }

  #dispute({ which, isWon }: Step & { do: 'dispute' }): void {
    const intent = pick(
      this.#provider.intents.filter(({ state, isDisputed }) => state === 'paid' && !isDisputed),
      which,
    );
    if (intent === undefined) return;
    intent.isDisputed = true;
    const event = { paymentId: intent.paymentId, disputeId: randomUUID(), amountMicros: intent.amountMicros };
    this.#provider.tell({ ...event, type: 'disputed' });
    if (isWon) this.#provider.tell({ ...event, type: 'dispute_won' });
  }

  async #correct(micros: number): Promise<void> {
    const correction = { reference: randomUUID(), micros, isEntered: false };
    this.#corrections.push(correction);
    await this.#enter(correction);
  }

  async #enter(correction: Corrected): Promise<void> {
    const { reference, micros } = correction;
    const { organizationId } = this.#owner;
    await enterCorrection(
      this.#services.db,
      { organizationId, kind: 'correction', micros, reference, description: 'Put right' },
      this.#services.clock,
    );
    correction.isEntered = true;
  }

  /** All that is true after any step. @throws Error that says what is not */
  async check(): Promise<void> {
    const wrong: string[] = [];
    await this.#hearOfAnswers();
    const imbalances = await proveLedger(this.#db);
    if (imbalances.length > 0) wrong.push(`books: ${JSON.stringify(imbalances)}`);
    const { organizationId } = this.#owner;
    const entries = await this.#db
      .selectFrom('ledger_entries')
      .select(['cause', 'kind', 'amount_micros'])
      .where('organization_id', '=', organizationId)
      .execute();
    const found = new Map(entries.map(({ cause, amount_micros }) => [cause, amount_micros]));
    const [certain, possible] = [this.#causes(this.#handled, true), this.#causes(this.#provider.told, false)];
    for (const [cause, micros] of certain)
      if (found.get(cause) !== micros) wrong.push(`${cause} should be ${micros}, is ${found.get(cause)}`);
    for (const { kind, cause, amount_micros } of entries)
      if (kind !== 'usage' && possible.get(cause) !== amount_micros)
        wrong.push(`nothing accounts for ${cause}: ${amount_micros}`);
    const rows = await this.#db
      .selectFrom('usage_rows')
      .select(['id', 'cost_micros'])
      .where('organization_id', '=', organizationId)
      .execute();
    const written = new Map(rows.map(({ id, cost_micros }) => [id, cost_micros]));
    if (written.size !== rows.length) wrong.push('a request is written twice');
    for (const { end, state } of this.#requests)
      if (state === 'written' && written.get(end.id) !== end.cost_micros)
        wrong.push(`request ${end.id} costs ${written.get(end.id)}, not ${end.cost_micros}`);
    const taken = this.#provider.intents.filter(({ state, key }) => state === 'paid' && key.startsWith('autopay:'));
    const crossings = taken.map(({ key }) => key.split(':')[2]);
    if (new Set(crossings).size !== crossings.length) wrong.push(`charged twice for a crossing: ${crossings.join()}`);
    if (this.#provider.hasty.length > 0) wrong.push(`charged again too soon: ${this.#provider.hasty.join()}`);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  }

  /** What the provider has answered, and the process has written down, was handled as the event would be. */
  async #hearOfAnswers(): Promise<void> {
    if (this.#provider.asked.size === 0) return;
    const handled = await this.#db
      .selectFrom('payment_events')
      .select('id')
      .where('id', 'in', [...this.#provider.asked.keys()])
      .execute();
    for (const { id } of handled) this.#handled.add(this.#provider.asked.get(id) ?? '');
  }

  /** What the entries are to be, but for those of usage, by their causes. */
  #causes(events: ReadonlySet<string>, onlyCertain: boolean): Map<string, number> {
    const causes = new Map([[`credit:start:${this.#owner.organizationId}`, CREDIT]]);
    for (const { reference, micros, isEntered } of this.#corrections)
      if (isEntered || !onlyCertain) causes.set(`correction:${this.#owner.organizationId}:${reference}`, micros);
    for (const event of this.#provider.events) {
      if (!events.has(event.id)) continue;
      if (event.type === 'paid') causes.set(`payment:${event.paymentId}`, event.amountMicros);
      if (event.type === 'refunded' || event.type === 'refund_failed')
        causes.set(`refund:${event.refundId}`, -event.amountMicros);
      if (event.type === 'refund_failed') causes.set(`refund-failed:${event.refundId}`, event.amountMicros);
      if (event.type === 'disputed' || event.type === 'dispute_won')
        causes.set(`dispute:${event.disputeId}`, -event.amountMicros);
      if (event.type === 'dispute_won') causes.set(`dispute-won:${event.disputeId}`, event.amountMicros);
    }
    return causes;
  }

  /** Lets everything come to its end, and shows that the balance is what moved, and that no charge is left without an end. */
  async end(): Promise<void> {
    for (const request of this.#requests)
      await (request.state === 'changing' ? this.#putRight(request, request.end.audio_ms) : this.#write(request));
    for (const correction of this.#corrections) if (!correction.isEntered) await this.#enter(correction);
    await this.#do({ do: 'settings', enabled: false, thresholdCents: 0, amountCents: 500 });
    for (let round = 0; round < 20; round += 1) {
      await this.#do({ do: 'work', behaviour: 'takes', waits: 'until one is due' });
      for (const event of this.#provider.events)
        if (!this.#handled.has(event.id) && !this.#lost.has(event.id)) await this.#deliver(event);
      this.#now += 7 * 60 * MINUTE_MS;
      await this.#do({ do: 'reconcile', behaviour: 'takes' });
    }
    await postDays(this.#services.db, new Date(this.#now + 40 * DAY_MS));
    await this.check();
    const { organizationId } = this.#owner;
    const { balance_micros } = await this.#db
      .selectFrom('accounts')
      .select('balance_micros')
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow();
    const moved = [...this.#causes(this.#handled, true).values()].reduce((sum, micros) => sum + micros, 0);
    const used = this.#requests.reduce((sum, { end }) => sum + (end.cost_micros ?? 0), 0);
    if (balance_micros !== moved - used)
      throw new Error(`The balance is ${balance_micros}, and should be ${moved} - ${used}.`);
    const left = await this.#db
      .selectFrom('payments')
      .select(['key', 'state'])
      .where('organization_id', '=', organizationId)
      .where('state', 'in', ['due', 'sent'])
      .execute();
    if (left.length > 0) throw new Error(`Charges have no end: ${JSON.stringify(left)}`);
  }
}
