/** The one way to whoever moves the money. */
import { BILLING_CALLS } from '#contract/api/billing.ts';
import type { PaymentEndpoint, PaymentMethod } from '#contract/billing.ts';
import type { PaymentMode } from '#contract/payments.ts';

/** Where the provider sends its events to. */
export const WEBHOOK = BILLING_CALLS.receivePaymentEvent.path;

/** How much a provider's clock may be behind the database's, milliseconds. Plenty: a charge that is not found for that would be made again. */
export const LOOK_SKEW_MS = 86_400_000;

/** Whom a payment is by, as its provider knows them. */
export interface Payer {
  organizationId: string;
  name: string;
  email: string;
  /** Undefined: not known to the provider yet. */
  customerId: string | undefined;
}

/** A page of the provider on which somebody pays, or stores a payment method. */
export interface PageRequest {
  paymentId: string;
  customerId: string;
  /** Null: a payment method is stored, and nothing paid. */
  amountMicros: number | null;
  /** Absolute; where the page leads back to. */
  returnUrl: string;
}

/** A charge of a stored method. The same key is the same charge, however often it is asked for. */
export interface ChargeRequest {
  key: string;
  paymentId: string;
  customerId: string;
  methodId: string;
  amountMicros: number;
}

/**
 * `sent`: the provider has it, and tells of its end by an event. `declined` is an end; the message is for people. `refused`: it takes no such charge,
 * for a reason that is not the card's, and has charged nothing; for the operator.
 */
export type ChargeResult =
  | { outcome: 'sent'; providerId: string }
  | { outcome: 'declined'; message: string }
  | { outcome: 'refused'; reason: string };

/** A payment that has not ended, as far as we have heard, by the names that its provider has for it. */
export interface Unended {
  paymentId: string;
  /** Of the page; null for a charge. */
  pageId: string | null;
  /** Of the charge; null for a page. */
  providerId: string | null;
}

/** A stored method, with the name that the provider has for it. */
export interface StoredMethod extends PaymentMethod {
  id: string;
}

/**
 * What a provider tells, in our words. `id` is the event's: each counts once. Amounts in micro-USD, not signed. `disputed`: its bank has
 * taken the money back; `dispute_won`: and returned it. `failed`: a decline; `refused`: a charge that it had confirmed comes to nothing,
 * for a reason that is not the card's. `dispute_opened`: it asks, and may take it back; `dispute_dropped`: it will not, or no longer.
 */
export type MoneyEvent = { id: string } & (
  | { type: 'accepted'; paymentId: string; charge?: Charged }
  | { type: 'canceled'; paymentId: string }
  | { type: 'failed'; paymentId: string; message: string }
  | { type: 'refused'; paymentId: string; providerId: string; reason: string }
  | Question
  | { type: 'stored'; paymentId: string; method: StoredMethod }
  | MoneyMoved
  | Foreign
);

/** Who was charged, and by what, by the provider's names of both. */
export interface Charged {
  customerId: string;
  providerId: string;
}

/** What a bank says of a dispute that has moved no money, or moves none any more. */
export type Question =
  | { type: 'dispute_opened'; paymentId: string; disputeId: string }
  | { type: 'dispute_dropped'; paymentId: string; disputeId: string };

/**
 * Money that came, or went back; `providerId` is of the charge: a payment has one, but for a mistake. `charge` says whom the provider
 * has charged, where it knows.
 */
export type MoneyMoved =
  | { type: 'paid'; paymentId: string; amountMicros: number; providerId: string; charge?: Charged }
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
 * `takenMicros`: what was taken before some of it, or all, was returned; `feeMicros`: what the provider takes for it, below zero where it returns
 * that; `takenFeeMicros`: what it had taken before.
 */
interface Dispute {
  paymentId: string;
  disputeId: string;
  feeMicros?: number;
  providerId: string;
}

/** The same in a currency that is not ours, of which no amount can be entered: `amount` is for people. */
export interface Foreign {
  type: 'foreign';
  of: MoneyMoved['type'];
  paymentId: string;
  /** The provider's name of the payment, refund or dispute. */
  reference: string;
  amount: string;
  charge?: Charged;
}

/** The provider is out of reach or out of order; whether something happened is not known. */
export class PaymentUnavailable extends Error {
  /** Why the provider answers no call of this server, where it says so. */
  readonly refusal: string | undefined;
  constructor(cause: unknown, refusal?: string) {
    super('The payment provider does not answer.', { cause });
    this.name = 'PaymentUnavailable';
    this.refusal = refusal;
  }
}

/** Everything may throw {@link PaymentUnavailable}. */
export interface PaymentDriver {
  readonly mode: PaymentMode;
  /** Asks for an answer that changes nothing, and that only somebody with a good key gets. @returns what the endpoint of that address is told of; null where no provider sends events */
  check(webhookUrl: string): Promise<PaymentEndpoint | null>;
  /** Makes the payer known. The same organization is the same customer, unless the provider has deleted that one: then it is a new one. */
  createCustomer(payer: Payer): Promise<string>;
  /** Opens a page; the same payment has the same one. `id` is the provider's. */
  openPage(request: PageRequest): Promise<{ url: string; id: string }>;
  charge(request: ChargeRequest, returnUrl: string): Promise<ChargeResult>;
  /**
   * What became of a charge that was asked for at that time or later, by the database's clock, which may be ahead of the provider's by
   * {@link LOOK_SKEW_MS}; undefined where the provider has none, or has refused it. It charges nothing.
   */
  look(request: ChargeRequest, since: Date): Promise<ChargeResult | undefined>;
  /**
   * What became of a payment, from the provider itself: the event that it would send of it. Undefined while nothing has.
   * @throws PaymentUnavailable also where the provider does not have it (any more)
   */
  ask(payment: Unended): Promise<MoneyEvent | undefined>;
  /**
   * Ends a page that nobody has paid on. @returns what has become of it: `canceled`, or what {@link ask} says; undefined while somebody's payment on it is
   * under way
   * @throws PaymentUnavailable as ask does
   */
  expire(payment: Unended): Promise<MoneyEvent | undefined>;
  /** Payments made at that time or later, and charges that are under way, as the events that the provider would send of them now. */
  charged(since: Date): AsyncIterable<MoneyEvent>;
  /** The same of refunds and disputes that were begun then or later. */
  returned(since: Date): AsyncIterable<MoneyEvent>;
  /** Forgets a stored method; one that is forgotten already, too. */
  forget(methodId: string): Promise<void>;
  /** Deletes a customer, with what is stored of it; one that is gone already, too. */
  closeCustomer(customerId: string): Promise<void>;
  /**
   * Reads an event that came over HTTP: several where it tells of several refunds, none where it says nothing about money of ours.
   * @throws ApiProblem 400 signature_invalid or livemode_mismatch; 404 where this provider sends none
   */
  read(body: string, signature: string | undefined): Promise<readonly MoneyEvent[]>;
}
