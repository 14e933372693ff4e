import { randomUUID } from 'node:crypto';
import { MICROS_PER_CENT } from '#contract/billing.ts';
import { availableMicros, type Payment } from '#server/money/ledger/accounts.ts';
import type { MoneyEvent } from '#server/money/payments/port.ts';
import type { Services } from '#server/platform/context.ts';
import type { Db } from '#server/platform/db/database.ts';
import { createUser, type TestUser } from '../../harness.ts';
import { accountOf, paymentsOf } from '../books.ts';
import type { Happened } from './causes.ts';
import { customerOf } from './charges.ts';
import type { Clocks } from './clocks.ts';
import { proveOneCredit } from './credits.ts';
import * as held from './held.ts';
import type { Modes } from './modes.ts';
import type { Outside } from './outside.ts';
import { Owner } from './owner.ts';
import { proveMoves } from './proof.ts';
import type { ModelProvider } from './provider.ts';
import { Requests } from './requests.ts';
import { areAdmissions, proveRoom, roomOf } from './room.ts';
import { Sessions } from './sessions.ts';
import { isHeardOf, Silence } from './silence.ts';
import type { Starts } from './starts.ts';
import { pick, type Card, type OwnStep, type Step } from './steps.ts';

const MINUTE_MS = 60_000;

/** What tenants of one world share. */
interface Shared {
  services: Services;
  /** Of one who never ends. */
  db: Db;
  provider: ModelProvider;
  outside: Outside;
  handled: Set<string>;
  modes: Modes;
  starts: Starts;
  clocks: Clocks;
  deliver: (event: MoneyEvent | undefined) => Promise<void>;
}

interface Before {
  hold: string | undefined;
  card: string | null;
  payments: readonly Payment[];
  tellings: number;
  room: Map<string, number>;
  refunded: string | undefined;
}

/** An organization with two projects, and what its owner does. */
export class Tenant {
  readonly user: TestUser;
  readonly requests: Requests;
  readonly sessions: Sessions;
  readonly acts: Owner;
  isGone = false;
  readonly #of: 0 | 1;
  readonly #shared: Shared;
  readonly #projects: string[];
  /** Projects that were deleted. */
  readonly #gone: string[] = [];
  /** What was told of disputes before a reset or another card, which may have ended them. */
  readonly #lifted = new Set<string>();
  /** By which card the account was charged as each dispute was told of. */
  readonly #cards = new Map<string, Set<string | null>>();
  /** Refunds while autopay was on, since the last reset. */
  readonly #refunds = new Set<string>();
  readonly #silence = new Silence();
  /** As it was after the last stride, and for some before the next. */
  #before: Before = { hold: undefined, card: null, payments: [], tellings: 0, room: new Map(), refunded: undefined };

  private constructor(of: 0 | 1, shared: Shared, user: TestUser, projects: string[]) {
    this.#of = of;
    this.#shared = shared;
    this.user = user;
    this.#projects = projects;
    const { services, provider, db, starts } = shared;
    this.requests = new Requests(services, projects, starts);
    this.sessions = new Sessions(services, projects, starts);
    this.acts = new Owner(services, provider, user, db);
  }

  static async create(of: 0 | 1, shared: Shared): Promise<Tenant> {
    const { db, services } = shared;
    const user = await createUser({ ...services, db });
    const tenant = new Tenant(of, shared, user, [user.projectId, await createProject(shared, user)]);
    await tenant.do({ do: 'set up', of, card: '4242' });
    await tenant.do({ do: 'settings', of, enabled: true, thresholdCents: 500, amountCents: 2000 });
    await tenant.look();
    return tenant;
  }

  get customer(): string {
    return customerOf(this.user.organizationId);
  }

  get happened(): Happened {
    const { db, provider, handled, modes, starts } = this.#shared;
    const { corrections } = this.acts;
    return {
      db,
      owner: this.user,
      provider,
      requests: [...this.requests.all, ...this.sessions.requests],
      corrections,
      handled,
      modes,
      starts,
    };
  }

  async do(step: OwnStep): Promise<void> {
    const { requests, sessions, acts } = this;
    const written = requests.all.filter(({ state }) => state === 'written');
    const now = this.#shared.services.clock().getTime();
    switch (step.do) {
      case 'request':
        return requests.add(step.project, step.audioMs, new Date(now - step.lateMinutes * MINUTE_MS));
      case 'write again':
        return requests.write(pick(requests.all, step.which));
      case 'put right':
        return requests.putRight(pick(written, step.which), step.audioMs);
      case 'begin':
        return requests.begin(step);
      case 'grow':
        return requests.grow(step);
      case 'finish':
        return requests.end(step);
      case 'listen':
        return sessions.begin(step.project);
      case 'hear':
        return sessions.hear(step);
      case 'hang up':
        return sessions.hangUp(step);
      case 'come back':
        return sessions.comeBack(step);
      case 'drop':
        return acts.drop(this.#projects[step.project] ?? '');
      case 'budget':
        return acts.limit(this.#projectOf(step), { budget_micros: step.cents === null ? null : step.cents * 10_000 });
      case 'minutes':
        return acts.limit(this.#projectOf(step), { audio_minutes: step.minutes });
      case 'found':
        return acts.found(step.isGone);
      case 'settings':
        return acts.settings(step);
      case 'reset':
        return acts.reset();
      case 'remove':
        return acts.remove();
      case 'set up':
        return this.#setUp(step.card);
      case 'want':
        return acts.want(step.cents * 10_000);
      case 'pay':
        return this.#pay(step.cents * 10_000);
      case 'correct':
        return acts.correct(step.micros);
      case 'delete':
        return step.isMeant ? acts.delete() : undefined;
    }
  }

  #projectOf = ({ project }: { project: 0 | 1 | null }): string | null =>
    project === null ? null : (this.#projects[project] ?? null);

  async #setUp(last4: Card): Promise<void> {
    const { provider, deliver } = this.#shared;
    const attempt = randomUUID();
    await this.acts.begin(attempt, null);
    const id = `pm_${attempt}`;
    const method = { id, brand: 'Visa', last4, expires_month: 12, expires_year: 2099 };
    provider.tell({ type: 'stored', paymentId: attempt, method });
    await deliver(provider.events.at(-1));
  }

  async #pay(amountMicros: number): Promise<void> {
    const paymentId = randomUUID();
    if (await this.acts.begin(paymentId, amountMicros)) this.#shared.outside.open(paymentId, amountMicros);
  }

  /** What the provider may not do during these steps. */
  async prepare(steps: readonly Step[]): Promise<void> {
    const { provider } = this.#shared;
    const { hold } = this.#before;
    const isLifted = steps.some((step) => held.mayLift(step, this.#of, hold));
    const { happened } = this;
    const outside = [
      ...held.openDisputes(happened, this.#lifted),
      ...held.openRefunds(happened, this.#refunds),
      ...this.#silence
        .before(happened, this.#before.payments, steps, this.#isReset(steps))
        .map((id) => `silent: ${id}`),
    ];
    const why = isLifted ? undefined : (hold ?? outside[0]);
    if (why === undefined) provider.held.delete(this.customer);
    else provider.held.set(this.customer, why);
    if (areAdmissions(steps)) this.#before.room = await this.room();
    this.#before.refunded = await held.beforeRefunds(happened, steps);
  }

  #isReset = (steps: readonly Step[]): boolean => steps.some((step) => step.do === 'reset' && step.of === this.#of);

  /** Shows that what these steps have changed is what they may. @param areDone whether they have ended well */
  async compare(steps: readonly Step[], areDone: boolean): Promise<void> {
    const before = this.#before;
    await this.look();
    const { hold, payments } = this.#before;
    proveMoves(before.payments, payments);
    const { told, begins, hasEnd, cards } = held.toldSince(this.happened, before.tellings);
    for (const { id } of begins) this.#cards.set(id, (this.#cards.get(id) ?? new Set()).add(before.card));
    const isReset = this.#isReset(steps);
    for (const [id, of] of this.#cards)
      if (isReset || cards.some((card) => of.size > 1 || !of.has(card))) this.#lifted.add(id);
    if (isReset) this.#refunds.clear();
    if (steps.some((step) => step.do === 'found')) await this.proveCredit();
    if (this.isGone) return;
    if (before.refunded !== undefined)
      for (const refund of await held.refundsSince(this.happened, before.refunded)) this.#refunds.add(refund);
    const hasCard = cards.some((card) => card !== before.card);
    const isHeard = isHeardOf(this.happened, before.payments, told);
    held.proveHeld(before.hold, hold, { steps, of: this.#of, hasEnd, hasCard, isHeardOf: isHeard });
    const isSure = steps.length === 1 && areDone;
    this.#silence.prove(this.happened, { payments, hold }, isReset ? (isSure ? 'sure' : 'maybe') : 'no');
    if (areAdmissions(steps)) proveRoom(before.room, await this.room());
  }

  /** Somebody resets autopay, stores a card, and wants more to be there than there is. */
  async needCharge(): Promise<void> {
    await this.acts.reset();
    await this.#setUp('4242');
    const leftMicros = (await availableMicros(this.#shared.db, this.user.organizationId)) ?? 0;
    const thresholdCents = Math.max(0, Math.ceil(leftMicros / MICROS_PER_CENT)) + 100;
    await this.acts.settings({ enabled: true, thresholdCents, amountCents: 500 });
  }

  /** Shows that it is there, and turns autopay off. @throws Error */
  async proveCharged(): Promise<void> {
    const { organizationId } = this.user;
    const account = await accountOf(this.#shared.db, organizationId);
    const leftMicros = (await availableMicros(this.#shared.db, organizationId)) ?? 0;
    if (leftMicros < (account?.threshold_micros ?? 0))
      throw new Error(`Autopay is held up: ${JSON.stringify(account)}`);
    await this.acts.settings({ enabled: false, thresholdCents: 0, amountCents: 500 });
  }

  proveCredit = (): Promise<void> => proveOneCredit(this.#shared.db, this.user.userId, this.acts.made);

  /** How it stands. */
  async look(): Promise<void> {
    const { db, provider } = this.#shared;
    const { organizationId } = this.user;
    const [account, payments] = await Promise.all([accountOf(db, organizationId), paymentsOf(db, organizationId)]);
    this.isGone = account?.closed_at !== null;
    if (!this.isGone) await this.#replaceGone();
    this.#before = {
      hold: account && held.holdOf(account),
      card: account?.method_last4 ?? null,
      payments,
      tellings: provider.tellings.length,
      room: new Map(),
      refunded: undefined,
    };
  }

  /** Another project takes the place of each that was deleted. */
  async #replaceGone(): Promise<void> {
    const rows = await this.#shared.db.selectFrom('projects').select('id').where('id', 'in', this.#projects).execute();
    for (const [place, id] of this.#projects.entries()) {
      if (rows.some((row) => row.id === id)) continue;
      this.#gone.push(id);
      this.requests.drop(id);
      this.#projects[place] = await createProject(this.#shared, this.user);
    }
  }

  room = (): Promise<Map<string, number>> =>
    roomOf(
      this.#shared.db,
      { organizationId: this.user.organizationId, projects: this.#projects, gone: this.#gone },
      new Date(this.#shared.clocks.now),
    );
}

async function createProject(
  { db, services }: Shared,
  { organizationId: organization_id }: Pick<TestUser, 'organizationId'>,
): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto('projects')
    .values({ id, organization_id, name: 'Q', description: '', created_at: services.clock() })
    .execute();
  return id;
}
