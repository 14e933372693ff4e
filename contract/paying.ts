/** Payments by the payment provider: their status, the hosted pages, and whether its events arrive (BIL-05, BIL-06). */
import * as v from 'valibot';
import {
  type Autopay,
  MICROS_PER_CENT,
  PAYMENT_MAX_MICROS,
  PaidMicros,
  PaymentAttempt,
  PaymentMethod,
} from './billing.ts';
import { Uuid } from './fields.ts';
import { PaymentError } from './payment-errors.ts';
import { PAYMENT_MODES } from './payments.ts';

const Micros = v.pipe(v.number(), v.safeInteger());

/**
 * GET …/payment/status/ (BIL-05). `?attempt=` selects one payment or setup; the default is the newest one, except an
 * autopay charge that waits for its next try: `error` says until when.
 */
export const PaymentStatusQuery = v.object({ attempt: v.optional(Uuid) });
export const PaymentStatus = v.object({
  mode: v.picklist(PAYMENT_MODES),
  /** False if the server has no prices: it charges nothing, and the billing pages say so. */
  is_charging: v.boolean(),
  method: v.nullable(PaymentMethod),
  attempt: v.nullable(PaymentAttempt),
  error: v.nullable(PaymentError),
  /**
   * What is left of the balance, for {@link chargeAt}: saving autopay charges at once if that is low. Null if saving
   * charges nothing, whatever the balance is. Older servers leave it out.
   */
  balance_at_save_micros: v.optional(v.nullable(Micros), null),
  /** What autopay charges as soon as another payment method is stored; null for nothing. Older servers leave it out. */
  charge_at_method_micros: v.optional(v.nullable(Micros), null),
});
export type PaymentStatus = v.InferOutput<typeof PaymentStatus>;

/**
 * The amount that autopay charges, micro-USD: the set amount, or more if the balance needs more to reach the threshold.
 * Null if the balance is not low. 0 and less is always low, because requests are refused from there on.
 * @param leftMicros what is left of the balance
 */
export function chargeAt(
  leftMicros: number,
  { threshold_micros, amount_micros }: Pick<Autopay, 'threshold_micros' | 'amount_micros'>,
): number | null {
  if (leftMicros >= threshold_micros && leftMicros > 0) return null;
  const missing = Math.ceil((threshold_micros - leftMicros) / MICROS_PER_CENT) * MICROS_PER_CENT;
  return Math.min(Math.max(amount_micros, missing), PAYMENT_MAX_MICROS);
}

/** PUT …/payment/reset-error/: clears the error if it still has this version; else clears nothing and answers 409. */
export const PaymentErrorReset = v.object({ version: v.string() });
export type PaymentErrorReset = v.InferInput<typeof PaymentErrorReset>;

/** POST …/payment/ (BIL-06): pays into the balance on a hosted page. A repeated `attempt` is the same payment. */
export const PaymentRequest = v.object({ attempt: Uuid, amount_micros: PaidMicros });
export type PaymentRequest = v.InferInput<typeof PaymentRequest>;
/** POST …/payment/setup/ (BIL-05): stores a payment method on a hosted page. A repeated `attempt` is the same setup. */
export const PaymentSetupRequest = v.object({ attempt: Uuid });
export type PaymentSetupRequest = v.InferInput<typeof PaymentSetupRequest>;
/**
 * The absolute address of the hosted page. That page leads back to `…/billing/overview/` (after a payment) or
 * `…/billing/payment-setup/` (after a setup), with `?attempt=` of the request.
 */
export const HostedPage = v.object({ attempt: Uuid, url: v.pipe(v.string(), v.url()) });
export type HostedPage = v.InferOutput<typeof HostedPage>;

/** An event from the payment provider. The server reads only these fields before it has verified the raw body. */
export const PaymentEvent = v.looseObject({ id: v.string(), type: v.string() });
/**
 * Whether the payment provider sends this server the events that it needs. `missing`: the provider has no endpoint of
 * this server; `incomplete`: the endpoint does not get `missing_events`; `unknown`: the key may not ask. `api_version`:
 * the endpoint's, if it differs from the server's. `missing_rights`: what the key should be able to read and cannot.
 */
export const PaymentEndpoint = v.object({
  status: v.picklist(['ok', 'missing', 'incomplete', 'unknown']),
  missing_events: v.array(v.string()),
  api_version: v.nullable(v.string()),
  missing_rights: v.array(v.picklist(['refunds', 'disputes', 'webhook_endpoints'])),
});
export type PaymentEndpoint = v.InferOutput<typeof PaymentEndpoint>;

/** GET /api/v2/stripe/webhook/health_check_service_result/: 503 if the provider is away. No endpoint in test mode. */
export const PaymentHealth = v.object({
  mode: v.picklist(PAYMENT_MODES),
  status: v.literal('ok'),
  endpoint: v.nullable(PaymentEndpoint),
});
export type PaymentHealth = v.InferOutput<typeof PaymentHealth>;
