import type { ColumnType, Generated } from 'kysely';
import type { PaymentErrorReason } from '#contract/payment-errors.ts';
import type { MaybeMoment, Moment } from './core-tables.ts';

/** A day in UTC, such as 2026-04-28. Select it with `day::text`: drivers would convert it to local midnight. */
type Day = ColumnType<unknown, string, string>;

/** The mode of payments: this server's own test pages, Stripe's test mode, or real money. */
export type MoneyMode = 'test' | 'sandbox' | 'live';

type Reversal = 'refund_failed' | 'dispute_won' | 'unpaid' | 'paid_after_all' | 'test_payment';

/** A column that only the database writes. */
type WrittenByDatabase<T> = ColumnType<T, never, never>;

/**
 * Tables of migrations 0016, 0020, 0023, 0028, 0037, 0038, 0040, 0041, 0044, 0045, 0046, 0047, 0060 and 0066. Amounts in
 * micro-USD.
 */
export interface LedgerTables {
  /** One row: the starting credit of new organizations, as set by the last start of a server. */
  billing_defaults: { single: Generated<boolean>; starting_credit_micros: number };
  /** One row per organization, even a deleted one. Lock it before its days, entries and payments. */
  accounts: {
    organization_id: string;
    /** The sum of its entries, without usage of days that are not posted yet. */
    balance_micros: Generated<number>;
    is_credited: Generated<boolean>;
    /** Whether autopay is on and, at the last change, less was left than its threshold. */
    below: Generated<boolean>;
    /** How often it fell below the threshold. */
    crossing: Generated<number>;
    autopay_enabled: Generated<boolean>;
    threshold_micros: Generated<number>;
    amount_micros: Generated<number>;
    /** The payment provider's ids of customer and payment method. */
    customer_id: string | null;
    method_id: string | null;
    method_brand: string | null;
    method_last4: string | null;
    method_expires_month: number | null;
    method_expires_year: number | null;
    /** Why autopay does not work, and since when. Servers of older versions write only the message. */
    error_why: Exclude<PaymentErrorReason, 'silent'> | null;
    error_message: string | null;
    error_at: MaybeMoment;
    /**
     * With `error_why` `unknown`: the provider has not reported on the charge for 30 days. Older versions see
     * `unknown`.
     */
    silent: Generated<boolean>;
    billing_name: Generated<string>;
    billing_address: Generated<string>;
    tax_id: Generated<string>;
    /** When the organization was deleted; the balance is 0 from then on. */
    closed_at: MaybeMoment;
  };
  /** An organization's usage of a day. Usage that comes after the posting is a further part, which is posted later. */
  usage_days: {
    organization_id: string;
    day: Day;
    /** Cost of the current part: the one not posted yet, or the last one. */
    cost_micros: number;
    posted: Generated<boolean>;
    /** Number of the current part, from 0. */
    part: Generated<number>;
    /** Cost of the earlier parts. */
    earlier_micros: Generated<number>;
    /** When the current part was posted; null before, and if an older version posted it. */
    posted_at: MaybeMoment;
  };
  /**
   * At most one row: the first day from which on a day's parts equal the cost of its requests. Without a row, all days
   * do.
   */
  exact_days: { single: Generated<boolean>; from_day: Day };
  /** Payments, charges of autopay, and setups of a payment method. */
  payments: {
    id: string;
    position: Generated<number>;
    organization_id: string;
    kind: 'payment' | 'autopay' | 'setup';
    /** `due`: to be charged; `sent`: perhaps charged, outcome unknown; `open`: its hosted page is open. */
    state: 'due' | 'sent' | 'open' | 'succeeded' | 'failed' | 'canceled';
    amount_micros: number | null;
    /** Mode of the server that requested it or heard of it first; null if an older version did. */
    mode: MoneyMode | null;
    /** For autopay: the account's `crossing`, and the number of the attempt. */
    crossing: number | null;
    attempt: Generated<number>;
    /** Idempotency key for the payment provider. */
    key: string;
    /**
     * For autopay, once sent: the method, which a repetition must repeat. For a setup: a method that was stored too
     * late, and that the provider must forget.
     */
    method_id: string | null;
    /** Null also if an older version sent it: then it is the account's customer. */
    customer_id: string | null;
    /** For autopay: when it was first and last requested from the payment provider. */
    sent_at: MaybeMoment;
    asked_at: MaybeMoment;
    provider_id: string | null;
    /** URL and id of the hosted page, once shown. */
    url: string | null;
    page_id: string | null;
    /** When to ask the payment provider for the outcome, if no event comes before. */
    check_at: MaybeMoment;
    /** For a confirmed charge: since when the provider has not answered questions about it. */
    unheard_since: MaybeMoment;
    /** When a waiting payment ends by itself. Null also if an older version made it. */
    ends_at: MaybeMoment;
    /** For autopay: the amount that a refused request lacked, which made the charge due; 0 for none. */
    wanted_micros: Generated<number>;
    /**
     * Whether a charge ended without an outcome. It holds autopay until an outcome comes, or somebody resets the error.
     */
    silent: Generated<boolean>;
    /** What it was paid with: a name, and the last four digits or ''. Null if the payment provider does not say. */
    paid_brand: string | null;
    paid_last4: string | null;
    /** For the operator: why the payment provider refused a charge for another reason than the card. */
    refusal: string | null;
    error_message: string | null;
    /** Who began a payment by hand; null also if an older version did. */
    begun_by: string | null;
    /** When it failed last; null also if an older version recorded the failure. */
    failed_at: MaybeMoment;
    run_at: Moment;
    created_at: Moment;
  };
  /** Current and past reasons that hold autopay, besides silent charges. */
  account_holds: {
    /** `cause` of the ledger entry of the refund, dispute or payment. */
    cause: string;
    organization_id: string;
    why: 'refunded' | 'mismatched' | 'disputed';
    /** The account's payment method at that time, as people know it. */
    card: string | null;
    since: Moment;
    ended_at: MaybeMoment;
    /** `provider`: the dispute was won, or the refund has failed. */
    ended_by: 'reset' | 'method' | 'provider' | null;
  };
  /** Handled events of the payment provider. */
  payment_events: { id: string; type: string; received_at: Moment };
  /** The payment provider's customers of deleted organizations, until they are deleted there; each with a job. */
  gone_customers: {
    id: string;
    organization_id: string;
    customer_id: string;
    method_id: string | null;
    gone_at: Moment;
  };
  /**
   * People who have had the starting credit, by a keyed digest of their address. Outlives organization and account;
   * append-only.
   */
  credits_given: { person_key: Uint8Array; given_at: Moment; organization_id: string };
  /** Causes of payment entries of deleted organizations, from versions that did not keep the entries. */
  gone_entries: { cause: string; payment_id: string; organization_id: string };
  /** Events of the payment provider about money that is in no balance. The operator decides what to do with it. */
  refused_events: {
    /** `cause` as of a ledger entry, so that repeated events make one row. */
    cause: string;
    event_id: string;
    /**
     * `gone`: the payment is unknown, or its organization deleted; `currency`: another currency; `amount`: another
     * amount than requested; `second`: a second payment for the same; `mode`: a test event where payments are real;
     * `settled`: the end of something that the operator has dealt with.
     */
    why: 'gone' | 'currency' | 'amount' | 'second' | 'mode' | 'settled';
    type: string;
    payment_id: string;
    /** The provider's id of the charge, as in `ledger_entries`. */
    charge_id: ColumnType<string | null, string | null | undefined, string | null>;
    organization_id: string | null;
    /** The payment provider's text. */
    amount: string;
    /** Null in another currency, or if an older version refused it. */
    amount_micros: number | null;
    /**
     * The event as JSON. Null in another currency, if it was entered before its charge was refused, or from an older
     * version.
     */
    told: ColumnType<unknown, string | null | undefined, string | null>;
    received_at: Moment;
    /** When the operator has dealt with it. */
    settled_at: MaybeMoment;
  };
  /** One row: the mode of payments, as set by the last start of a server; no row before. */
  payment_mode: { single: Generated<boolean>; mode: MoneyMode; since: Moment };
  /**
   * One row: when to ask the payment provider for past events again. `restored`: rows may be lost that it can report
   * again.
   */
  provider_looks: { single: Generated<boolean>; next_at: Moment; restored: Generated<boolean> };
  /** Events of test payments that are still to come, as JSON; each with a job. */
  test_payment_words: { id: string; word: string };
  /** Test money that was taken back, which the operator was not mailed about yet. */
  untold_corrections: { organization_id: string; micros: number };
  /** Append-only. */
  ledger_entries: {
    id: Generated<string>;
    position: Generated<number>;
    organization_id: string;
    kind: 'payment' | 'usage' | 'refund' | 'dispute' | 'fee' | 'credit' | 'correction';
    amount_micros: number;
    balance_after_micros: number;
    /**
     * What the entry is for; unique, so that it is entered only once. Taken apart only by migration 0060's trigger, for
     * the version before.
     */
    cause: string;
    /**
     * Why it reverses others, if it does:
     * - `refund_failed`: the refund that it is `about` failed.
     * - `dispute_won`: the dispute that it is `about` was won.
     * - `unpaid`: the charge of these refunds and disputes does not count.
     * - `paid_after_all`: the charge counts after all, so the `unpaid` entry that it is `about` is reversed.
     * - `test_payment`: the payment was a test, so all its entries are reversed.
     */
    reversal: ColumnType<Reversal | null, Reversal | null | undefined, never>;
    /** The cause of the entry that it reverses, which no other reverses; or of the dispute whose fee it is. */
    about: ColumnType<string | null, string | null | undefined, never>;
    description: string;
    /** The day, for usage. */
    day: ColumnType<unknown, string | null | undefined, string | null>;
    payment_id: ColumnType<string | null, string | null | undefined, string | null>;
    /** The provider's id of the payment's charge; null if there is no charge, or if an older version entered it. */
    charge_id: ColumnType<string | null, string | null | undefined, never>;
    /** Mode of its payment; null without a payment. */
    mode: ColumnType<MoneyMode | null, MoneyMode | null | undefined, never>;
    at: Moment;
  };
  /** Withdrawals of a receipt's links. Each one withdraws all links so far, and `round` counts them from 0. */
  withdrawn_links: { entry_id: string; round: number; withdrawn_at: Moment };
  /**
   * The next number of each series of receipts. Its row is locked until a receipt is written or rolled back. `base` is
   * the series' name in the settings, `seller` the seller's first line; both are null if an older version began the
   * series. An ended series gets no more receipts.
   */
  receipt_series: {
    series: string;
    next: number;
    base: string | null;
    seller: string | null;
    ended_at: Moment | null;
  };
  /** Receipts, credit notes and reversals as issued, even of deleted organizations. Append-only. */
  receipts: {
    /** Its ledger entry, which is gone if an older version has deleted the organization. */
    entry_id: string;
    organization: string;
    name: string;
    address: string;
    tax_id: string;
    /** The seller, in lines. Empty if it was unknown: then show the current seller. */
    seller: string;
    /** Whether no money moved. */
    is_test: boolean;
    /** Insert null for the unnamed series. */
    series: ColumnType<string, string | null | undefined, never>;
    /** The database fills in the series' next number, and data of the entry. */
    number: WrittenByDatabase<number>;
    kind: WrittenByDatabase<'receipt' | 'credit_note' | 'reversal'>;
    /** For a credit note the entry of its receipt, for a reversal that of its credit note; null if not known yet. */
    refers_to: WrittenByDatabase<string | null>;
    organization_id: WrittenByDatabase<string>;
    description: WrittenByDatabase<string>;
    /** Never negative. */
    total_micros: WrittenByDatabase<number>;
    at: WrittenByDatabase<Date>;
    /** Country of the payer's VAT id; null without one. */
    country: string | null;
    /** Thousandths of a percent; null if the receipt does not mention tax. */
    tax_rate: number | null;
    /** The tax in the total; the rest is `net_micros`. */
    tax_micros: Generated<number>;
    tax_note: Generated<string>;
    net_micros: WrittenByDatabase<number>;
    /** Its number from before there were series. */
    earlier_number: WrittenByDatabase<string | null>;
  };
}
