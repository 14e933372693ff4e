/**
 * What an organization pays, and what for (BIL-*). Amounts are whole micro-USD (millionths of a US dollar); days are days of
 * UTC. A balance may be below zero, as after a payment that was taken back.
 */
import * as v from 'valibot';
import { NAME_MAX, PAGE_SIZE, PAGE_SIZE_MAX, Timestamp, Uuid, pageLimit } from './fields.ts';
import { PAYMENT_MODES } from './payments.ts';
import {
  daysFrom,
  OrganizationUsageRequest,
  UsageDay,
  USAGE_DAYS_MAX,
  USAGE_PERIODS,
  type UsagePeriod,
} from './usage.ts';

/** Micro-USD of one cent: amounts that people choose are whole cents. */
export const MICROS_PER_CENT = 10_000;
/** The least and the most that is paid at once, micro-USD. */
export const PAYMENT_MIN_MICROS = 5_000_000;
export const PAYMENT_MAX_MICROS = 10_000_000_000;
/** The highest balance at which autopay may charge, micro-USD. */
export const THRESHOLD_MAX_MICROS = 10_000_000_000;
export const ADDRESS_MAX = 500;
export const TAX_ID_MAX = 40;

const Micros = v.pipe(v.number(), v.safeInteger());
const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const cents = v.multipleOf<number, number, string>(MICROS_PER_CENT, 'Must be a whole number of cents.');
const PaidMicros = v.pipe(
  Micros,
  v.minValue(PAYMENT_MIN_MICROS, 'Pay at least 5 USD.'),
  v.maxValue(PAYMENT_MAX_MICROS, 'Pay at most 10,000 USD at once.'),
  cents,
);

/** When a stored payment method is charged by itself: as the balance falls below `threshold_micros`, at least `amount_micros`. */
export const Autopay = v.object({
  enabled: v.boolean(),
  threshold_micros: v.pipe(
    Micros,
    v.minValue(0, 'Must not be below 0 USD.'),
    v.maxValue(THRESHOLD_MAX_MICROS, 'Must be at most 10,000 USD.'),
    cents,
  ),
  amount_micros: PaidMicros,
});
export type Autopay = v.InferOutput<typeof Autopay>;

/** Whom receipts are made out to; empty texts are left out of them. */
export const BillingDetails = v.object({
  name: v.pipe(v.string(), v.maxLength(NAME_MAX, 'Name must be at most 100 characters.')),
  /** Several lines. */
  address: v.pipe(v.string(), v.maxLength(ADDRESS_MAX, 'Address must be at most 500 characters.')),
  tax_id: v.pipe(v.string(), v.maxLength(TAX_ID_MAX, 'Tax id must be at most 40 characters.')),
});
export type BillingDetails = v.InferOutput<typeof BillingDetails>;

/** GET and PUT /api/v2/organizations/{organization}/billing/ (BIL-07). */
export const BillingSettings = v.object({ autopay: Autopay, details: BillingDetails });
export type BillingSettings = v.InferOutput<typeof BillingSettings>;
/** What is left out stays as it is. */
export const BillingSettingsUpdate = v.object({ autopay: v.optional(Autopay), details: v.optional(BillingDetails) });
export type BillingSettingsUpdate = v.InferOutput<typeof BillingSettingsUpdate>;

/** A stored payment method, as its owner knows it. */
export const PaymentMethod = v.object({
  /** Such as `Visa`. */
  brand: v.string(),
  last4: v.string(),
  expires_month: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(12)),
  /** Four digits. */
  expires_year: v.pipe(v.number(), v.integer()),
});
export type PaymentMethod = v.InferOutput<typeof PaymentMethod>;

/**
 * What became of a payment or of a setup. `open`: the hosted page waits for its visitor; `processing`: the payment provider has it;
 * the others are ends. Only the payment provider's word ends one: who comes back from the hosted page may find it `open` still.
 */
export const PAYMENT_STATES = ['open', 'processing', 'succeeded', 'failed', 'canceled'] as const;
const PaymentState = v.picklist(PAYMENT_STATES);
export type PaymentState = v.InferOutput<typeof PaymentState>;

/** One payment or setup of a payment method. */
export const PaymentAttempt = v.object({
  uuid: Uuid,
  kind: v.picklist(['payment', 'autopay', 'setup']),
  state: PaymentState,
  /** Null for a setup. */
  amount_micros: v.nullable(Micros),
  /** Why nothing came of it, for people; null where that is not said. */
  error: v.nullable(v.string()),
  created_at: Timestamp,
});
export type PaymentAttempt = v.InferOutput<typeof PaymentAttempt>;

/**
 * Why autopay waits. `declined`: a charge failed; `unknown`: the payment provider has not said what became of one; `silent`: nor for 30 days;
 * `refunded`, `disputed`: money was given back, or taken by the operator or by a bank; `mismatched`: what was paid is not what was asked for.
 */
export const PAYMENT_ERROR_REASONS = ['declined', 'unknown', 'silent', 'refunded', 'disputed', 'mismatched'] as const;
export type PaymentErrorReason = (typeof PAYMENT_ERROR_REASONS)[number];

/**
 * Why autopay or the payment method does not work. A decline goes with a payment that succeeds, another method, or a reset; a charge without
 * an answer with its answer or a reset; a dispute as it is won, with a method that is certainly another, or a reset; a refund as it fails, or
 * with a reset; all else with a reset alone.
 */
export const PaymentError = v.object({
  why: v.picklist(PAYMENT_ERROR_REASONS),
  message: v.string(),
  at: Timestamp,
  /** When autopay tries again by itself; null when it does not. */
  next_try_at: v.nullable(Timestamp),
  /** What else holds autopay. */
  others: v.array(v.object({ message: v.string(), at: Timestamp })),
  /** Another one where anything of that has changed but the next try. */
  version: v.string(),
});
export type PaymentError = v.InferOutput<typeof PaymentError>;

/**
 * GET …/payment/status/ (BIL-05): `?attempt=` asks for one payment or setup; without it the newest is told, other than a try of autopay that
 * waits: `error` says until when.
 */
export const PaymentStatusQuery = v.object({ attempt: v.optional(Uuid) });
export const PaymentStatus = v.object({
  mode: v.picklist(PAYMENT_MODES),
  /** False where the server has no prices: nothing is charged, and billing says so. */
  is_charging: v.boolean(),
  method: v.nullable(PaymentMethod),
  attempt: v.nullable(PaymentAttempt),
  error: v.nullable(PaymentError),
});
export type PaymentStatus = v.InferOutput<typeof PaymentStatus>;

/** PUT …/payment/reset-error/: ends all that the error of this version tells of. Where it has changed, nothing is reset: 409. */
export const PaymentErrorReset = v.object({ version: v.string() });
export type PaymentErrorReset = v.InferInput<typeof PaymentErrorReset>;

/** POST …/payment/ (BIL-06): pays into the balance on a hosted page. The same `attempt` again is the same payment. */
export const PaymentRequest = v.object({ attempt: Uuid, amount_micros: PaidMicros });
export type PaymentRequest = v.InferInput<typeof PaymentRequest>;
/** POST …/payment/setup/ (BIL-05): stores a payment method on a hosted page. The same `attempt` again is the same setup. */
export const PaymentSetupRequest = v.object({ attempt: Uuid });
export type PaymentSetupRequest = v.InferInput<typeof PaymentSetupRequest>;
/**
 * Where the hosted page is: an absolute address, to which the page goes. It leads back to `…/billing/overview/` (a payment) or
 * `…/billing/payment-setup/` (a setup) with `?attempt=` of the request.
 */
export const HostedPage = v.object({ attempt: Uuid, url: v.pipe(v.string(), v.url()) });
export type HostedPage = v.InferOutput<typeof HostedPage>;

/** `usage` is what was used on one day, posted once when the day is over; `fee` what a dispute costs beside its money; `correction` what was put right by hand. */
export const TRANSACTION_KINDS = ['payment', 'usage', 'refund', 'dispute', 'fee', 'credit', 'correction'] as const;
/** What a payment has, a refund, and a refund that failed. */
export const RECEIPT_KINDS = ['receipt', 'credit_note', 'reversal'] as const;
export type ReceiptKind = (typeof RECEIPT_KINDS)[number];
export const Transaction = v.object({
  uuid: Uuid,
  kind: v.picklist(TRANSACTION_KINDS),
  /** Signed: what raises the balance is above zero. */
  amount_micros: Micros,
  /** The posted balance after it. Usage of days that are not posted yet is not in it. */
  balance_after_micros: Micros,
  /** For people, such as `Usage on May 4, 2026 (UTC)`. */
  description: v.string(),
  /** Of usage: the day on which it was used; null for the others. */
  day: v.optional(v.nullable(UsageDay), null),
  /** When it was entered: of usage, after its day. */
  at: Timestamp,
  /** Its number is unique for good. Null for what has none. */
  receipt: v.nullable(v.object({ kind: v.picklist(RECEIPT_KINDS), number: v.string() })),
});
export type Transaction = v.InferOutput<typeof Transaction>;

/** Query of GET …/billing/transactions/ (BIL-08), newest first. */
export const TransactionsQuery = v.object({
  limit: v.optional(pageLimit(PAGE_SIZE_MAX), String(PAGE_SIZE)),
  offset: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,9}$/, 'offset must be a whole number, 0 or above.'),
      v.transform(Number),
      v.number(),
    ),
    '0',
  ),
  /** Whether the number of all transactions is counted. */
  return_total: v.optional(v.picklist(['true', 'false']), 'false'),
});
export const TransactionPage = v.object({
  transactions: v.array(Transaction),
  /** Null unless `return_total` asked for it. */
  total: v.nullable(Count),
});
export type TransactionPage = v.InferOutput<typeof TransactionPage>;

/** GET …/billing/transaction/{transaction}/receipt-url/: an absolute address that works for a while, without a session. */
export const ReceiptUrl = v.object({ url: v.pipe(v.string(), v.url()), expires_at: Timestamp });
export type ReceiptUrl = v.InferOutput<typeof ReceiptUrl>;

/** Query of GET …/billing/overview/ (BIL-01): this month to today, UTC, where it is left out. */
export const BillingOverviewQuery = v.object({ start_date: v.optional(UsageDay), end_date: v.optional(UsageDay) });
export const BillingOverview = v.object({
  currency: v.literal('USD'),
  mode: v.picklist(PAYMENT_MODES),
  is_charging: v.boolean(),
  /** What is left: the posted balance less usage that is not posted yet. */
  balance_micros: Micros,
  /** That usage: no transaction has it yet, so that the last one's balance is so much higher. */
  unposted_micros: Count,
  /** New requests are refused: nothing is left, and nothing is on its way. */
  is_exhausted: v.boolean(),
  period: v.object({ start_date: UsageDay, end_date: UsageDay }),
  /** What was used in the period. */
  cost_micros: Micros,
  /** How long the balance lasts if each day costs what the last seven whole days did on average; null where they cost nothing. */
  days_left: v.nullable(Count),
  autopay: Autopay,
  method: v.nullable(PaymentMethod),
  error: v.nullable(PaymentError),
  /** The payment or charge under way. */
  pending: v.nullable(PaymentAttempt),
  /** The last five payments, newest first. */
  payments: v.array(Transaction),
});
export type BillingOverview = v.InferOutput<typeof BillingOverview>;

/** What is billed. There is one service so far; filters name it so that more can come. */
export const BILLED_SERVICES = ['transcription'] as const;
const BilledService = v.picklist(BILLED_SERVICES);
const { start_date, end_date, period, project_ids } = OrganizationUsageRequest.entries;
const REVERSED = 'The last day must not be before the first.';
const TOO_LONG = 'The period is too long for steps of this length.';
/** As for usage: 31 days by the hour, 366 by the day, and 1830 by the month; a cost table spans as many as the last. */
const isShort = (asked: { start_date: string; end_date: string; period: UsagePeriod }): boolean =>
  daysFrom(asked.start_date, asked.end_date) <= USAGE_DAYS_MAX[asked.period];

/** The most cells, projects times steps, of a report; rows of a cost table; and rows of either as xlsx. What has more is refused. */
export const REPORT_CELLS_MAX = 50_000;
export const COST_ROWS_MAX = 10_000;
export const SHEET_ROWS_MAX = 200_000;

/** Body of POST …/billing/reports/ and …/billing/reports/xlsx/ (BIL-02). Empty lists and lists that are left out mean all. */
export const BillingReportRequest = v.pipe(
  v.object({ start_date, end_date, period, project_ids, service_ids: v.optional(v.array(BilledService)) }),
  v.forward(
    v.check((asked) => asked.start_date <= asked.end_date, REVERSED),
    ['end_date'],
  ),
  v.forward(
    v.check((asked) => isShort(asked), TOO_LONG),
    ['end_date'],
  ),
);
export type BillingReportRequest = v.InferInput<typeof BillingReportRequest>;
const Step = v.object({
  project_uuid: Uuid,
  project_name: v.string(),
  is_deleted: v.boolean(),
  service: BilledService,
  /** One number for each step of the period. */
  requests: v.array(Count),
  audio_ms: v.array(Count),
  cost_micros: v.array(Micros),
});
const Totals = v.object({ requests: Count, audio_ms: Count, cost_micros: Micros });
export const BillingReport = v.object({
  currency: v.literal('USD'),
  start_date: UsageDay,
  end_date: UsageDay,
  period: v.picklist(USAGE_PERIODS),
  /** When each step begins, UTC. */
  buckets: v.array(Timestamp),
  series: v.array(Step),
  /** All that a report can be about, by name: the projects of the organization, deleted ones among them. */
  projects: v.array(v.object({ uuid: Uuid, name: v.string(), is_deleted: v.boolean() })),
  totals: Totals,
});
export type BillingReport = v.InferOutput<typeof BillingReport>;

/** Body of POST …/billing/cost/ and …/billing/cost/xlsx/ (BIL-03). */
export const BillingCostRequest = v.pipe(
  v.object({ start_date, end_date }),
  v.forward(
    v.check((asked) => asked.start_date <= asked.end_date, REVERSED),
    ['end_date'],
  ),
  v.forward(
    v.check((asked) => isShort({ ...asked, period: 'monthly' }), TOO_LONG),
    ['end_date'],
  ),
);
export type BillingCostRequest = v.InferInput<typeof BillingCostRequest>;
export const BillingCost = v.object({
  currency: v.literal('USD'),
  start_date: UsageDay,
  end_date: UsageDay,
  /** By project, then kind, then model. */
  rows: v.array(
    v.object({
      project_uuid: Uuid,
      project_name: v.string(),
      is_deleted: v.boolean(),
      service: BilledService,
      /** File jobs or live sessions. */
      kind: v.picklist(['async', 'real_time']),
      model: v.string(),
      requests: Count,
      audio_ms: Count,
      cost_micros: Micros,
    }),
  ),
  totals: Totals,
});
export type BillingCost = v.InferOutput<typeof BillingCost>;

/** What the payment provider tells. Its signature is checked on the bytes; only these fields are read before that is done. */
export const PaymentEvent = v.looseObject({ id: v.string(), type: v.string() });
/**
 * Whether the payment provider tells this server what it needs to hear. `missing`: it knows no endpoint of this server; `incomplete`: that endpoint is
 * not told of `missing_events`; `unknown`: the key may not ask. `api_version`: of the endpoint, where it is not that of the server.
 * `missing_rights`: what the key may not read, though the server needs it.
 */
export const PaymentEndpoint = v.object({
  status: v.picklist(['ok', 'missing', 'incomplete', 'unknown']),
  missing_events: v.array(v.string()),
  api_version: v.nullable(v.string()),
  missing_rights: v.array(v.picklist(['refunds', 'disputes', 'webhook_endpoints'])),
});
export type PaymentEndpoint = v.InferOutput<typeof PaymentEndpoint>;

/** GET /api/v2/stripe/webhook/health_check_service_result: that the payment provider answers; else 503. In test mode there is no endpoint. */
export const PaymentHealth = v.object({
  mode: v.picklist(PAYMENT_MODES),
  status: v.literal('ok'),
  endpoint: v.nullable(PaymentEndpoint),
});
export type PaymentHealth = v.InferOutput<typeof PaymentHealth>;
