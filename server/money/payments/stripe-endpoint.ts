/** Checks that Stripe sends this server the events it needs, and that the key has the rights it needs. */
import Stripe from 'stripe';
import type { PaymentEndpoint } from '#contract/paying.ts';
import { PaymentUnavailable } from './port.ts';

/** Events that this server needs, each with its names in older versions of the API. */
const NEEDED: readonly (readonly string[])[] = [
  ['checkout.session.completed'],
  ['checkout.session.async_payment_succeeded'],
  ['checkout.session.async_payment_failed'],
  ['checkout.session.expired'],
  ['payment_intent.succeeded'],
  ['payment_intent.payment_failed'],
  ['refund.created', 'charge.refunded'],
  ['refund.updated', 'charge.refund.updated'],
  ['refund.failed', 'charge.refund.updated'],
  ['charge.dispute.created'],
  ['charge.dispute.funds_withdrawn'],
  ['charge.dispute.funds_reinstated'],
  ['charge.dispute.closed'],
];

/** Needed events that an endpoint does not get. */
const missingEvents = (enabled: readonly string[]): string[] =>
  enabled.includes('*')
    ? []
    : NEEDED.flatMap((names) => (names.some((name) => enabled.includes(name)) ? [] : names.slice(0, 1)));

type EventCheck = Omit<PaymentEndpoint, 'missing_rights'>;

/**
 * Checks the webhook endpoint with an address, and the rights of the key, which may be restricted.
 * @param apiVersion the version that this server expects
 * @throws PaymentUnavailable
 */
export async function checkEndpoint(stripe: Stripe, webhookUrl: string, apiVersion: string): Promise<PaymentEndpoint> {
  const [endpoint, refunds, disputes] = await Promise.all([
    ifAllowed(() => findEndpoint(stripe, webhookUrl, apiVersion)),
    ifAllowed(() => stripe.refunds.list({ limit: 1 })),
    ifAllowed(() => stripe.disputes.list({ limit: 1 })),
  ]);
  const read = { refunds, disputes, webhook_endpoints: endpoint };
  return {
    ...(endpoint ?? { status: 'unknown', missing_events: [], api_version: null }),
    missing_rights: RIGHTS.filter((right) => read[right] === undefined),
  };
}

const RIGHTS = ['refunds', 'disputes', 'webhook_endpoints'] as const;

/** Undefined if the key lacks the right. @throws PaymentUnavailable */
async function ifAllowed<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return undefined;
    throw new PaymentUnavailable(error);
  }
}

async function findEndpoint(stripe: Stripe, webhookUrl: string, apiVersion: string): Promise<EventCheck> {
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 }))
    if (endpoint.status === 'enabled' && sameUrl(endpoint.url, webhookUrl)) return endpointOf(endpoint, apiVersion);
  return { status: 'missing', missing_events: [], api_version: null };
}

const sameUrl = (one: string, other: string): boolean => one.replace(/\/$/, '') === other.replace(/\/$/, '');

function endpointOf({ enabled_events, api_version }: Stripe.WebhookEndpoint, apiVersion: string): EventCheck {
  const missing_events = missingEvents(enabled_events);
  return {
    status: missing_events.length === 0 ? 'ok' : 'incomplete',
    missing_events,
    api_version: api_version === apiVersion ? null : api_version,
  };
}
