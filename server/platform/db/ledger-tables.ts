import type { ColumnType, Generated } from 'kysely';
import type { PaymentErrorReason } from '#contract/billing.ts';
import type { MaybeMoment, Moment } from './core-tables.ts';

/** A day of UTC as 2026-04-28. Select it with `day::text`: drivers make a local midnight of it. */
type Day = ColumnType<unknown, string, string>;

/** What money is: of this server's own test pages, of Stripe's for tests, or real. */
export type MoneyMode = 'test' | 'sandbox' | 'live';

/** What only the database writes. */
type Filled<T> = ColumnType<T, never, never>;

/** Tables of migrations 0016, 0020, 0023, 0028, 0037, 0038, 0040, 0041, 0044, 0045, 0046 and 0047. Amounts in micro-USD. */
export interface LedgerTables {
  /** One row: what new organizations begin with, as the last start of a server has set it. */
  billing_defaults: { single: Generated<boolean>; starting_credit_micros: number };
  /** One for each organization, also of those that are gone. Its lock comes before those of its days, entries and payments. */
  accounts: {
    organization_id: string;
    /** The sum of its entries. Usage of days that are not posted is not in it. */
    balance_micros: Generated<number>;
    is_credited: Generated<boolean>;
    /** Whether what was left, when it last changed, was less than the threshold of an autopay that is on. */
    below: Generated<boolean>;
    /** How often it fell below. */
    crossing: Generated<number>;
    autopay_enabled: Generated<boolean>;
    threshold_micros: Generated<number>;
    amount_micros: Generated<number>;
    /** As the payment provider names them. */
    customer_id: string | null;
    method_id: string | null;
    method_brand: string | null;
    method_last4: string | null;
    method_expires_month: number | null;
    method_expires_year: number | null;
    /** Why autopay does not work, and since when. A server from before there were kinds tells a message only. */
    error_why: Exclude<PaymentErrorReason, 'silent'> | null;
    error_message: string | null;
    error_at: MaybeMoment;
    /** Beside `unknown`: the charge has had no word for 30 days. A version before knows it as unknown alone. */
    silent: Generated<boolean>;
    billing_name: Generated<string>;
    billing_address: Generated<string>;
    tax_id: Generated<string>;
    /** When its organization was deleted: from then on its balance is 0. */
    closed_at: MaybeMoment;
  };
  /** What was used on a day. What is counted after it was posted is another part of it, which is posted, too. */
  usage_days: {
    organization_id: string;
    day: Day;
    /** Of the part that is not posted yet, or was posted last. */
    cost_micros: number;
    posted: Generated<boolean>;
    /** Counts from 0. */
    part: Generated<number>;
    /** Of the parts before. */
    earlier_micros: Generated<number>;
    /** The last part; null while that is not posted, and where a version before has posted it. */
    posted_at: MaybeMoment;
  };
  /** One row at most: from which day on the parts of a day are what its requests cost; all days where there is none. */
  exact_days: { single: Generated<boolean>; from_day: Day };
  /** Payments, charges of autopay, and setups of a payment method. */
  payments: {
    id: string;
    position: Generated<number>;
    organization_id: string;
    kind: 'payment' | 'autopay' | 'setup';
    /** `due`: to be charged; `sent`: perhaps charged, its outcome is not known; `open`: its hosted page is. */
    state: 'due' | 'sent' | 'open' | 'succeeded' | 'failed' | 'canceled';
    amount_micros: number | null;
    /** Of the server that asked the payment provider for it, or was told of it first; null where a version before has not said. */
    mode: MoneyMode | null;
    /** Of autopay: which crossing it is for, and the how manieth try. */
    crossing: number | null;
    attempt: Generated<number>;
    /** What the payment provider tells repetitions by. */
    key: string;
    /** Of autopay, once it is sent: a repetition must name the same ones. Of a setup: a method that it stored too late, which the provider is to forget. */
    method_id: string | null;
    /** Null also where a version before has sent it: for the customer of the account. */
    customer_id: string | null;
    /** Of autopay: when the payment provider was asked for it first, and last. */
    sent_at: MaybeMoment;
    asked_at: MaybeMoment;
    provider_id: string | null;
    /** Of the hosted page, once it was shown to somebody. */
    url: string | null;
    page_id: string | null;
    /** When the payment provider is asked next what became of it, should no event tell. */
    check_at: MaybeMoment;
    /** Of a charge that it has confirmed: since when it has not answered about it. */
    unheard_since: MaybeMoment;
    /** Of one that waits: when it ends by itself. Null also where a version before has made it. */
    ends_at: MaybeMoment;
    /** Of autopay: what a request was refused for want of, which made it due; 0 for none. */
    wanted_micros: Generated<number>;
    /** Of a charge that ended without a word of the payment provider, until it has an end after all, or somebody resets the error: it holds autopay. */
    silent: Generated<boolean>;
    /** Of a charge: why the payment provider has not taken it, though nothing is wrong with the card; for the operator. */
    refusal: string | null;
    error_message: string | null;
    run_at: Moment;
    created_at: Moment;
  };
  /** What holds autopay, and did; beside charges that are silent. */
  account_holds: {
    /** The entry of the refund, dispute or payment that it is about. */
    cause: string;
    organization_id: string;
    why: 'refunded' | 'mismatched' | 'disputed';
    /** What people know the payment method by that the account had. */
    card: string | null;
    since: Moment;
    ended_at: MaybeMoment;
    /** `provider`: the dispute was won, or the refund has failed. */
    ended_by: 'reset' | 'method' | 'provider' | null;
  };
  /** Events of the payment provider that were handled. */
  payment_events: { id: string; type: string; received_at: Moment };
  /** Customers at the payment provider of organizations that are gone, until they are closed there; each with a job. */
  gone_customers: {
    id: string;
    organization_id: string;
    customer_id: string;
    method_id: string | null;
    gone_at: Moment;
  };
  /** Who has had the starting credit, by a keyed digest of their address; stays when organization and account are gone. Only added. */
  credits_given: { person_key: Uint8Array; given_at: Moment; organization_id: string };
  /** What payments had changed in the balances of organizations that are gone, of versions that did not keep their entries. */
  gone_entries: { cause: string; payment_id: string; organization_id: string };
  /** Money that the payment provider has told of, and that no balance has: the operator decides what to do with it. */
  refused_events: {
    /** As an entry would have it: however often it is told, it is one. */
    cause: string;
    event_id: string;
    /**
     * `gone`: its payment is not there, or its organization not any more; `currency`: it is in another one; `amount`: it does not fit what was asked for; `second`: it is
     * about a second payment for the same; `mode`: it is of a test where payments are real; `settled`: it ends what the operator has dealt with.
     */
    why: 'gone' | 'currency' | 'amount' | 'second' | 'mode' | 'settled';
    type: string;
    payment_id: string;
    /** As of entries. */
    charge_id: ColumnType<string | null, string | null | undefined, string | null>;
    organization_id: string | null;
    /** As the payment provider says it. */
    amount: string;
    /** Null of another currency, and of what a version before has refused. */
    amount_micros: number | null;
    /** The event, as JSON. Null in another currency, where it was entered before its charge was refused, and of the version before. */
    told: ColumnType<unknown, string | null | undefined, string | null>;
    received_at: Moment;
    /** When the operator had dealt with it. */
    settled_at: MaybeMoment;
  };
  /** One row: what payments are, as the last start of a server has set it; none before. */
  payment_mode: { single: Generated<boolean>; mode: MoneyMode; since: Moment };
  /** One row: when the payment provider is asked next for what is past; `restored` while rows may be lost that it still has to tell of. */
  provider_looks: { single: Generated<boolean>; next_at: Moment; restored: Generated<boolean> };
  /** What is still to be told of test payments, each with a job; JSON. */
  test_payment_words: { id: string; word: string };
  /** Only added. */
  ledger_entries: {
    id: Generated<string>;
    position: Generated<number>;
    organization_id: string;
    kind: 'payment' | 'usage' | 'refund' | 'dispute' | 'fee' | 'credit' | 'correction';
    amount_micros: number;
    balance_after_micros: number;
    /** What it is for: each is entered once. */
    cause: string;
    description: string;
    /** Of usage. */
    day: ColumnType<unknown, string | null | undefined, string | null>;
    payment_id: ColumnType<string | null, string | null | undefined, string | null>;
    /** The charge of its payment, as the provider names it; null of what is no charge's, and of what a version before has entered. */
    charge_id: ColumnType<string | null, string | null | undefined, never>;
    /** Of its payment; null of what is no payment's. */
    mode: ColumnType<MoneyMode | null, MoneyMode | null | undefined, never>;
    at: Moment;
  };
  /** How often the addresses of a receipt were withdrawn: each time all that there were. `round` counts from 0. */
  withdrawn_links: { entry_id: string; round: number; withdrawn_at: Moment };
  /**
   * The number that the next receipt of a series gets; its row is locked until that is written or rolled back. `seller`: whose it is, by
   * the first of their lines, after which name; both null of one that a version before has begun. One that has ended gets none.
   */
  receipt_series: {
    series: string;
    next: number;
    base: string | null;
    seller: string | null;
    ended_at: Moment | null;
  };
  /** Receipts, credit notes and reversals, as they were issued; also of organizations that are gone. Only added. */
  receipts: {
    /** Of the entry, which is gone where a version before has deleted its organization. */
    entry_id: string;
    organization: string;
    name: string;
    address: string;
    tax_id: string;
    /** Lines. Empty where it was not known: whoever sells now. */
    seller: string;
    /** Whether no money was moved. */
    is_test: boolean;
    /** Null on the way in: that of receipts without a name of their own. */
    series: ColumnType<string, string | null | undefined, never>;
    /** What the database fills in: the next number of the series, and what the entry says. */
    number: Filled<number>;
    kind: Filled<'receipt' | 'credit_note' | 'reversal'>;
    /** The entry of the receipt that a credit note is of, or of the credit note that is reversed; null where that was not known yet. */
    refers_to: Filled<string | null>;
    organization_id: Filled<string>;
    description: Filled<string>;
    /** Not signed. */
    total_micros: Filled<number>;
    at: Filled<Date>;
    /** Of the payer's VAT id; null where that is none. */
    country: string | null;
    /** Thousandths of a percent; null where nothing is said of tax. */
    tax_rate: number | null;
    /** Part of the total; with the net amount all of it. */
    tax_micros: Generated<number>;
    tax_note: Generated<string>;
    net_micros: Filled<number>;
    /** The number that it was known by before there were series. */
    earlier_number: Filled<string | null>;
  };
}
