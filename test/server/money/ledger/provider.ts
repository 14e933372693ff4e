import { randomUUID } from 'node:crypto';
import {
  LOOK_SKEW_MS,
  PaymentUnavailable,
  type ChargeRequest,
  type ChargeResult,
  type MoneyEvent,
  type PageRequest,
  type PaymentDriver,
  type OpenPayment,
} from '#server/money/payments/port.ts';
import {
  answerOf,
  customerOf,
  isLiveCustomer,
  liveCustomerOf,
  plainCustomer,
  STATES,
  type Behaviour,
  type Intent,
} from './charges.ts';
import { aboutOf, isOfPayment, isInquiry } from './told.ts';

/** How much its clock is behind the database's, milliseconds. */
const BEHIND_MS = LOOK_SKEW_MS - 60_000;
/** How long a key is remembered, milliseconds. */
const REMEMBERED_MS = 24 * 3_600_000;

/** A payment provider in memory, which forgets keys after a day as Stripe does. Its events wait until somebody delivers them. */
export class ModelProvider implements PaymentDriver {
  readonly mode = 'stripe';
  readonly intents: Intent[] = [];
  /** All that it has told or will tell, in the order in which it happened. */
  readonly events: MoneyEvent[] = [];
  /** Events whose amount is wrong. */
  readonly unfit = new Set<string>();
  readonly closed = new Set<string>();
  /** Payments whose page it has ended. */
  readonly expired = new Set<string>();
  behaviour: Behaviour = 'takes';
  /** Charges that it took while it had not told the end of another, or while autopay was to wait for a reset. */
  readonly hasty: string[] = [];
  /** Why nothing of an organization may be charged just now. */
  readonly held = new Map<string, string>();
  /** Charges whose end nobody knows, and which others may follow all the same. */
  readonly letGo = new Set<string>();
  /** Whose a payment is. */
  readonly #payers = new Map<string, string>();
  /** Whether its payments are real. */
  isLive = false;
  /** Payments of before: it knows nothing of them any more. */
  readonly tests = new Set<string>();
  /** What is told of them all the same, to a server whose payments are tests. */
  readonly late: MoneyEvent[] = [];
  /** Ids of the events that have been delivered, or nearly. */
  readonly told = new Set<string>();
  /** The same, each time. */
  readonly tellings: string[] = [];
  /** Ids of the answers that it has given, each with that of the event that says the same. */
  readonly asked = new Map<string, string>();
  /** When what an event tells of began. */
  readonly #began = new Map<string, number>();
  readonly #keys = new Map<string, { at: number; intent: Intent | undefined }>();
  readonly #clock: () => Date;
  readonly #die: () => never;

  /** @param die ends the process that asks */
  constructor(
    clock: () => Date,
    die: () => never = () => {
      throw new Error('Nobody ends here.');
    },
  ) {
    this.#clock = () => new Date(clock().getTime() - BEHIND_MS);
    this.#die = die;
  }

  /** Payments are real from now on. */
  goLive(): void {
    this.isLive = true;
    this.#keys.clear();
    for (const paymentId of this.#payers.keys()) this.tests.add(paymentId);
    const events = this.events.splice(0);
    this.events.push(...events.filter(({ id }) => this.told.has(id)));
    this.late.push(...events.filter(({ id }) => !this.told.has(id)));
  }

  createCustomer = ({ organizationId }: { organizationId: string }): Promise<string> =>
    Promise.resolve((this.isLive ? liveCustomerOf : customerOf)(organizationId));
  openPage = ({ paymentId, customerId }: PageRequest): Promise<{ url: string; id: string }> => {
    this.#payers.set(paymentId, customerId);
    return Promise.resolve({ url: `https://pay.example.com/${paymentId}`, id: `page-${paymentId}` });
  };
  check = (): Promise<null> => Promise.resolve(null);
  forget = (): Promise<void> => Promise.resolve();
  read = (): Promise<[]> => Promise.resolve([]);

  charge(request: ChargeRequest, _returnUrl?: string, maySend = () => true): Promise<ChargeResult> {
    if (!maySend()) return Promise.reject(new PaymentUnavailable('was not asked'));
    const now = this.#clock().getTime();
    const known = this.#keys.get(request.key);
    const { behaviour } = this;
    if (behaviour === 'is out of reach' || behaviour === 'is not reached')
      return Promise.reject(new PaymentUnavailable(behaviour));
    if (behaviour === 'is not reached by a process that ends') return this.#end();
    if (this.isLive && !isLiveCustomer(request.customerId))
      return Promise.resolve({ outcome: 'declined', message: 'There is no such customer.' });
    if (known !== undefined && now - known.at < REMEMBERED_MS)
      return known.intent ? answerOf(known.intent) : Promise.reject(new PaymentUnavailable('is broken'));
    if (behaviour === 'takes no such charge') return Promise.resolve({ outcome: 'refused', reason: behaviour });
    if (behaviour === 'is broken') {
      this.#keys.set(request.key, { at: now, intent: undefined });
      return Promise.reject(new PaymentUnavailable(behaviour));
    }
    const state = STATES[behaviour] ?? 'paid';
    this.#payers.set(request.paymentId, request.customerId);
    const open = this.intents.find(
      (one) => this.#payers.get(one.paymentId) === request.customerId && this.#isOpen(one),
    );
    if (open !== undefined) this.hasty.push(`${request.key} while ${open.key} is ${open.state}`);
    const held = this.held.get(plainCustomer(request.customerId));
    if (held !== undefined) this.hasty.push(`${request.key} while autopay is ${held}`);
    const intent = this.take(request, state);
    this.#keys.set(request.key, { at: now, intent });
    if (behaviour.endsWith('the answer is lost')) return Promise.reject(new PaymentUnavailable(behaviour));
    if (behaviour === 'takes from a process that ends') return this.#end();
    if (behaviour === 'takes, and says that it does not')
      return Promise.resolve({ outcome: 'refused', reason: behaviour });
    return answerOf(intent);
  }

  look({ paymentId }: ChargeRequest, since: Date): Promise<ChargeResult | undefined> {
    if (this.behaviour === 'is out of reach') return Promise.reject(new PaymentUnavailable(this.behaviour));
    if (this.behaviour === 'is not reached by a process that ends') return this.#end();
    if (this.tests.has(paymentId)) return Promise.resolve(undefined);
    const intent = this.intents.find((one) => one.paymentId === paymentId && one.at >= since.getTime() - LOOK_SKEW_MS);
    return intent ? answerOf(intent) : Promise.resolve(undefined);
  }

  /** Answers as the event does that says how it ended, whether that was delivered, or is lost. */
  ask({ paymentId }: OpenPayment): Promise<MoneyEvent | undefined> {
    if (this.behaviour === 'is out of reach') return Promise.reject(new PaymentUnavailable(this.behaviour));
    if (this.behaviour === 'is not reached by a process that ends') return this.#end();
    if (this.tests.has(paymentId)) return Promise.resolve(undefined);
    const ends = this.events.filter((event) => isOfPayment(event) && event.paymentId === paymentId);
    const end = ends.find(({ type }) => type === 'paid') ?? ends.at(-1);
    return Promise.resolve(end && this.#answer(end, `asked:${paymentId}:${end.type}`));
  }

  /** Nobody can pay on the page any more. */
  expire(payment: OpenPayment): Promise<MoneyEvent | undefined> {
    const { paymentId } = payment;
    const isEnded = this.events.some((event) => isOfPayment(event) && event.paymentId === paymentId);
    if (this.behaviour === 'takes' && !isEnded && !this.tests.has(paymentId)) {
      this.expired.add(paymentId);
      this.tell({ type: 'canceled', paymentId });
    }
    return this.ask(payment);
  }

  async *paymentsSince(since: Date): AsyncGenerator<MoneyEvent> {
    yield* this.#past(since, 'charge ');
  }

  async *refundsAndDisputesSince(since: Date): AsyncGenerator<MoneyEvent> {
    yield* this.#past(since);
  }

  async *#past(since: Date, only?: string): AsyncGenerator<MoneyEvent> {
    if (this.behaviour === 'is out of reach') throw new PaymentUnavailable(this.behaviour);
    if (this.behaviour === 'is not reached by a process that ends') this.#die();
    const stands = new Map<string, MoneyEvent>();
    for (const event of this.events.filter((one) => !this.tests.has(one.paymentId))) {
      const isPaid = event.type === 'paid' || (event.type === 'other_currency' && event.of === 'paid');
      if (isPaid) stands.set(`charge ${event.type === 'paid' ? event.providerId : event.reference}`, event);
      if (isOfPayment(event) || (this.#began.get(event.id) ?? 0) < since.getTime()) continue;
      const name = aboutOf(event);
      const before = stands.get(name);
      // Whether money has moved counts, rather than what the bank has said.
      if (before === undefined || !isInquiry(event) || isInquiry(before)) stands.set(name, event);
    }
    for (const [name, event] of stands)
      if (name.startsWith('charge ') === (only !== undefined)) yield this.#answer(event, `asked:${event.id}`);
  }

  #answer(event: MoneyEvent, id: string): MoneyEvent {
    this.tellingOf(event);
    this.asked.set(id, event.id);
    return { ...event, id };
  }

  /** It is about to be delivered. */
  tellingOf({ id }: MoneyEvent): void {
    this.told.add(id);
    this.tellings.push(id);
  }

  /** Whether it has two charges of a payment. */
  isTwice(paymentId: string): boolean {
    return this.intents.filter((one) => one.paymentId === paymentId && one.state === 'paid').length > 1;
  }

  /** What it has told, or will tell, of the payments of one organization. */
  eventsOf(organizationId: string): MoneyEvent[] {
    return this.events.filter(({ paymentId }) => this.#isOf(paymentId, organizationId));
  }

  intentsOf(organizationId: string): Intent[] {
    return this.intents.filter(({ paymentId }) => this.#isOf(paymentId, organizationId));
  }

  #isOf = (paymentId: string, organizationId: string): boolean =>
    plainCustomer(this.#payers.get(paymentId)) === customerOf(organizationId);

  async closeCustomer(customerId: string): Promise<void> {
    if (this.behaviour === 'is out of reach') throw new PaymentUnavailable(this.behaviour);
    if (this.behaviour === 'is not reached by a process that ends') this.#die();
    this.closed.add(plainCustomer(customerId));
    if (this.behaviour === 'takes from a process that ends') this.#die();
  }

  /** Takes money, or tries to; what it tells of it comes later. */
  take(
    { key, paymentId, amountMicros }: Pick<ChargeRequest, 'key' | 'paymentId' | 'amountMicros'>,
    state: Intent['state'],
  ): Intent {
    const at = this.#clock().getTime();
    const providerId = `pi_${paymentId}_${this.intents.length}`;
    const receivedMicros = state === 'of another amount' ? amountMicros / 2 : amountMicros;
    const counted = { amountMicros, receivedMicros, refundedMicros: 0, disputes: 0 };
    const intent = { key, paymentId, providerId, at, state, ...counted };
    this.intents.push(intent);
    // Two events tell of the same money, as with a hosted page.
    const paid = { type: 'paid', paymentId, amountMicros, providerId } as const;
    if (state === 'paid') for (const event of [paid, paid]) this.tell(event);
    else if (state === 'of another amount')
      for (const event of [paid, paid]) this.unfit.add(this.tell({ ...event, amountMicros: receivedMicros }));
    else if (state === 'in another currency')
      for (const reference of [providerId, providerId])
        this.tell({ type: 'other_currency', of: 'paid', paymentId, reference, amount: '500 eur' });
    else this.tell({ type: 'failed', paymentId, message: 'The card was declined.' });
    return intent;
  }

  tell(event: MoneyEvent extends infer One ? (One extends MoneyEvent ? Omit<One, 'id'> : never) : never): string {
    const id = randomUUID();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    this.events.push({ ...event, id } as MoneyEvent);
    this.#began.set(id, this.#clock().getTime());
    return id;
  }

  /** Whether it is a charge whose end nobody can know yet. */
  #isOpen({ key, paymentId, state }: Intent): boolean {
    if (!key.startsWith('autopay:') || state === 'declined' || this.letGo.has(paymentId)) return false;
    return !this.events.some(
      (event) => 'paymentId' in event && event.paymentId === paymentId && this.told.has(event.id),
    );
  }

  #end(): Promise<never> {
    try {
      this.#die();
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
