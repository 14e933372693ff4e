/**
 * What an organization pays, and what for (BIL-*). Amounts are whole micro-USD (millionths of a US dollar), days are
 * UTC days. A balance may be negative, for example after a bank took a payment back.
 */
import * as v from 'valibot';
import { NAME_MAX, Timestamp, Uuid } from './fields.ts';
import { PaymentError } from './payment-errors.ts';
import { PAYMENT_MODES } from './payments.ts';
import { Transaction } from './transactions.ts';
import {
  daysFrom,
  OrganizationUsageRequest,
  UsageDay,
  USAGE_DAYS_MAX,
  USAGE_PERIODS,
  type UsagePeriod,
} from './usage.ts';

/** Micro-USD in one cent. People choose amounts in whole cents. */
export const MICROS_PER_CENT = 10_000;
/** Smallest and largest payment, micro-USD. */
export const PAYMENT_MIN_MICROS = 5_000_000;
export const PAYMENT_MAX_MICROS = 10_000_000_000;
/** Largest threshold of autopay, micro-USD. */
export const THRESHOLD_MAX_MICROS = 10_000_000_000;
export const ADDRESS_MAX = 500;
export const TAX_ID_MAX = 40;

const Micros = v.pipe(v.number(), v.safeInteger());
const Count = v.pipe(v.number(), v.integer(), v.minValue(0));
const cents = v.multipleOf<number, number, string>(MICROS_PER_CENT, 'Must be a whole number of cents.');
/** The amount of one payment. */
export const PaidMicros = v.pipe(
  Micros,
  v.minValue(PAYMENT_MIN_MICROS, 'Pay at least $5.00.'),
  v.maxValue(PAYMENT_MAX_MICROS, 'Pay at most $10,000.00 at once.'),
  cents,
);

/** When the balance falls below `threshold_micros`, autopay charges the payment method at least `amount_micros`. */
export const Autopay = v.object({
  enabled: v.boolean(),
  threshold_micros: v.pipe(
    Micros,
    v.minValue(0, 'Must not be below $0.00.'),
    v.maxValue(THRESHOLD_MAX_MICROS, 'Must be at most $10,000.00.'),
    cents,
  ),
  amount_micros: PaidMicros,
});
export type Autopay = v.InferOutput<typeof Autopay>;

/** The customer as named on receipts, which leave out empty texts. */
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
/** Fields left out keep their values. */
export const BillingSettingsUpdate = v.object({ autopay: v.optional(Autopay), details: v.optional(BillingDetails) });
export type BillingSettingsUpdate = v.InferOutput<typeof BillingSettingsUpdate>;

/** The stored payment method, as the billing pages show it. */
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
 * States of a payment or a setup. `open`: the hosted page waits for its visitor; `processing`: the payment provider
 * works on it; the others are final, and only the provider sets them: a visitor may come back before that.
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
  /** Why it failed, for people; null if unknown. */
  error: v.nullable(v.string()),
  created_at: Timestamp,
});
export type PaymentAttempt = v.InferOutput<typeof PaymentAttempt>;

/** Query of GET …/billing/overview/ (BIL-01). The default is this month up to today, UTC. */
export const BillingOverviewQuery = v.object({ start_date: v.optional(UsageDay), end_date: v.optional(UsageDay) });
export const BillingOverview = v.object({
  currency: v.literal('USD'),
  mode: v.picklist(PAYMENT_MODES),
  is_charging: v.boolean(),
  /** The posted balance minus usage that is not posted yet. */
  balance_micros: Micros,
  /**
   * Usage that is not posted yet: the balance after the last transaction is higher by this much. Negative if the cost of
   * a posted day was lowered.
   */
  unposted_micros: Micros,
  /** The balance, with autopay's pending or next charge, is used up: the server refuses new requests. */
  is_exhausted: v.boolean(),
  /** The organization's budget of this month is used up: new requests are refused. Older servers leave it out. */
  is_budget_reached: v.optional(v.boolean(), false),
  period: v.object({ start_date: UsageDay, end_date: UsageDay }),
  /** Cost of the usage in the period. */
  cost_micros: Micros,
  /** Cost of today's usage so far, posted or not. */
  today_micros: v.optional(Count, 0),
  /**
   * Days that the balance lasts at the average cost of the seven days before today and of today so far, or since the
   * first day of usage; null if they cost nothing, or if that day is today.
   */
  days_left: v.nullable(Count),
  autopay: Autopay,
  method: v.nullable(PaymentMethod),
  error: v.nullable(PaymentError),
  /** The payment or autopay charge under way. */
  pending: v.nullable(PaymentAttempt),
  /** The payment by hand that failed within a day, unless another was begun since. Older servers leave it out. */
  failed: v.optional(v.nullable(PaymentAttempt), null),
  /** The last five payments, newest first. */
  payments: v.array(Transaction),
});
export type BillingOverview = v.InferOutput<typeof BillingOverview>;

/** Services that are billed: one so far. Filters name it, so that others can be added. */
export const BILLED_SERVICES = ['transcription'] as const;
const BilledService = v.picklist(BILLED_SERVICES);
const { start_date, end_date, period, project_ids } = OrganizationUsageRequest.entries;
const REVERSED = 'The last day must not be before the first.';
const TOO_LONG = 'The period is too long for steps of this length.';
/** Whether one answer may span the period. A cost table may span as many days as a monthly report. */
const isShort = (asked: { start_date: string; end_date: string; period: UsagePeriod }): boolean =>
  daysFrom(asked.start_date, asked.end_date) <= USAGE_DAYS_MAX[asked.period];

/** The largest number of cells (projects times steps) of a report, rows of a cost table, or rows of either as xlsx. */
export const REPORT_CELLS_MAX = 50_000;
export const COST_ROWS_MAX = 10_000;
export const SHEET_ROWS_MAX = 200_000;

/** Body of POST …/billing/reports/ and …/billing/reports/xlsx/ (BIL-02). An empty or missing list means all. */
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
const ProjectSeries = v.object({
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
  series: v.array(ProjectSeries),
  /** All projects of the organization that a report can select, deleted ones included, by name. */
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
