/** The port of payment providers. */
import { BILLING_CALLS } from '#contract/api/billing.ts';
import type { PaymentMethod } from '#contract/billing.ts';
import type { PaymentEndpoint } from '#contract/paying.ts';
import type { PaymentMode } from '#contract/payments.ts';

/** Path that the provider sends its events to. */
export const WEBHOOK = BILLING_CALLS.receivePaymentEvent.path;

/**
 * How far a provider's clock may be behind the database's, milliseconds. Generous: a charge not found would be
 * repeated.
 */
export const LOOK_SKEW_MS = 86_400_000;

/** The payer at the provider: an organization. */
export interface Payer {
  organizationId: string;
  name: string;
  email: string;
  /** Undefined for a new payer. */
  customerId: string | undefined;
}

/** A page of the provider for a payment, or for storing a payment method. */
export interface PageRequest {
  paymentId: string;
  customerId: string;
  /** Null to store a payment method without a payment. */
  amountMicros: number | null;
  /** The absolute address that the page returns to. */
  returnUrl: string;
}

/** A charge of a stored method. Requests with the same key make one charge. */
export interface ChargeRequest {
  key: string;
  paymentId: string;
  customerId: string;
  methodId: string;
  amountMicros: number;
}

/**
 * - `sent`: the provider has the charge; an event will report its end.
 * - `declined`: the charge has failed; the message is for people.
 * - `refused`: nothing was charged, for a reason other than the card; the reason is for the operator.
 */
export type ChargeResult =
  | { outcome: 'sent'; providerId: string }
  | { outcome: 'declined'; message: string }
  | { outcome: 'refused'; reason: string };

/** A payment without a known end, with the provider's ids. */
export interface OpenPayment {
  paymentId: string;
  /** The provider's id of the page; null for a charge. */
  pageId: string | null;
  /** The provider's id of the charge; null for a page. */
  providerId: string | null;
}

/** A stored method with the provider's id. */
export interface StoredMethod extends PaymentMethod {
  id: string;
}

/**
 * What a provider tells, in our words. `id` is the event's: each counts once. Amounts in micro-USD, not signed.
 * `disputed`: its bank has taken the money back; `dispute_won`: and returned it. `failed`: a decline; `refused`: a
 * charge that it had confirmed comes to nothing, for a reason that is not the card's. `dispute_opened`: it asks, and
 * may take it back; `dispute_dropped`: it will not, or no longer.
 */
export type MoneyEvent = { id: string } & (
  | { type: 'accepted'; paymentId: string; charge?: Charged }
  | { type: 'canceled'; paymentId: string }
  | { type: 'failed'; paymentId: string; message: string }
  | { type: 'refused'; paymentId: string; providerId: string; reason: string }
  | DisputeInquiry
  | { type: 'stored'; paymentId: string; method: StoredMethod }
  | MoneyMoved
  | OtherCurrency
);

/** What a payment was paid with: a name such as `Visa` or `Bank transfer`, and the last four digits, or ''. */
export type PaidWith = Pick<PaymentMethod, 'brand' | 'last4'>;

/** Who was charged, and by what, by the provider's names of both. */
export interface Charged {
  customerId: string;
  providerId: string;
}

/** What a bank says of a dispute that has moved no money, or moves none any more. */
export type DisputeInquiry =
  | { type: 'dispute_opened'; paymentId: string; disputeId: string }
  | { type: 'dispute_dropped'; paymentId: string; disputeId: string };

/**
 * Money that was paid or went back. `providerId`: the provider's id of the charge; a payment should have one charge.
 * `charge`: the charged customer, if the provider knows it. `paidWith`: if the provider says it.
 */
export type MoneyMoved =
  | {
      type: 'paid';
      paymentId: string;
      amountMicros: number;
      providerId: string;
      charge?: Charged;
      paidWith?: PaidWith;
    }
  | {
      type: 'refunded' | 'refund_failed';
      paymentId: string;
      refundId: string;
      amountMicros: number;
      providerId: string;
    }
  | ({ type: 'disputed'; amountMicros: number } & Dispute)
  | ({ type: 'dispute_won'; amountMicros: number; takenMicros?: number; takenFeeMicros?: number } & Dispute);

/**
 * `feeMicros`: the provider's fee; negative if it is returned. On a won dispute, `takenMicros` and `takenFeeMicros` are
 * the amount and the fee that were taken before.
 */
interface Dispute {
  paymentId: string;
  disputeId: string;
  feeMicros?: number;
  providerId: string;
}

/** Moved money in another currency, which cannot be entered. `amount` is for people. */
export interface OtherCurrency {
  type: 'other_currency';
  of: MoneyMoved['type'];
  paymentId: string;
  /** The provider's id of the charge, refund or dispute. */
  reference: string;
  amount: string;
  charge?: Charged;
}

/** The provider cannot be reached or does not work; the call may or may not have had an effect. */
export class PaymentUnavailable extends Error {
  /** Why the provider refuses all calls of this server, if it does. */
  readonly refusal: string | undefined;
  constructor(cause: unknown, refusal?: string) {
    super('The payment provider does not answer.', { cause });
    this.name = 'PaymentUnavailable';
    this.refusal = refusal;
  }
}

/** All methods may throw {@link PaymentUnavailable}. */
export interface PaymentDriver {
  readonly mode: PaymentMode;
  /**
   * Checks the key and the webhook endpoint with this address; changes nothing.
   * @returns the state of the endpoint; null if this provider sends no events
   */
  check(webhookUrl: string): Promise<PaymentEndpoint | null>;
  /**
   * Creates or updates the customer of an organization. Creates a new one if the provider has deleted it.
   * @returns its id
   */
  createCustomer(payer: Payer): Promise<string>;
  /** Opens a page; the same payment always gets the same page. @returns address and the provider's id of the page */
  openPage(request: PageRequest): Promise<{ url: string; id: string }>;
  /**
   * @param maySend whether the charge is still wanted, as far as this process knows; checked just before it is sent
   * @throws PaymentUnavailable if it is not
   */
  charge(request: ChargeRequest, returnUrl: string, maySend: () => boolean): Promise<ChargeResult>;
  /**
   * Looks up a charge; charges nothing.
   * @param since when the charge was requested first, or earlier, by the database's clock; see {@link LOOK_SKEW_MS}
   * @returns undefined if the provider does not have the charge, or has refused it
   */
  look(request: ChargeRequest, since: Date): Promise<ChargeResult | undefined>;
  /**
   * Asks the provider about a payment. @returns the event that it would send now; undefined while the payment is open
   * @throws PaymentUnavailable also if the provider does not have the payment (any more)
   */
  ask(payment: OpenPayment): Promise<MoneyEvent | undefined>;
  /**
   * Ends an open page. @returns `canceled`, or the answer of {@link ask}; undefined while a payment on it is under way
   * @throws PaymentUnavailable as {@link ask}
   */
  expire(payment: OpenPayment): Promise<MoneyEvent | undefined>;
  /** Payments since a moment, and charges under way, as the events that the provider would send now. */
  paymentsSince(since: Date): AsyncIterable<MoneyEvent>;
  /** Refunds and disputes that began since a moment, as the events that the provider would send now. */
  refundsAndDisputesSince(since: Date): AsyncIterable<MoneyEvent>;
  /** Removes a stored method. Succeeds if it is gone already. */
  forget(methodId: string): Promise<void>;
  /** Deletes a customer with its stored data. Succeeds if it is gone already. */
  closeCustomer(customerId: string): Promise<void>;
  /**
   * Parses an event that came over HTTP. @returns several for several refunds; none if it is not about our money
   * @throws Refusal signature_invalid or livemode_mismatch; not_found if this provider sends no events
   */
  read(body: string, signature: string | undefined): Promise<readonly MoneyEvent[]>;
}
