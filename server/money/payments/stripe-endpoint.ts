/** Whether Stripe tells this server of what it needs to hear, and answers what it needs to ask. */
import Stripe from 'stripe';
import type { PaymentEndpoint } from '#contract/billing.ts';
import { PaymentUnavailable } from './port.ts';

/** What the endpoint of this server must be told of; older versions of the API tell of refunds by other names. */
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

/** Which of them an endpoint is not told of. */
const missingEvents = (told: readonly string[]): string[] =>
  told.includes('*')
    ? []
    : NEEDED.flatMap((names) => (names.some((name) => told.includes(name)) ? [] : names.slice(0, 1)));

type Told = Omit<PaymentEndpoint, 'missing_rights'>;

/**
 * What the endpoint of an address is told of, and what the key may not read: one that is restricted has each right apart.
 * @param apiVersion what the server reads
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

/** Undefined where the key may not ask. @throws PaymentUnavailable */
async function ifAllowed<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Stripe.errors.StripePermissionError) return undefined;
    throw new PaymentUnavailable(error);
  }
}

async function findEndpoint(stripe: Stripe, webhookUrl: string, apiVersion: string): Promise<Told> {
  for await (const endpoint of stripe.webhookEndpoints.list({ limit: 100 }))
    if (endpoint.status === 'enabled' && sameUrl(endpoint.url, webhookUrl)) return endpointOf(endpoint, apiVersion);
  return { status: 'missing', missing_events: [], api_version: null };
}

const sameUrl = (one: string, other: string): boolean => one.replace(/\/$/, '') === other.replace(/\/$/, '');

function endpointOf({ enabled_events: told, api_version }: Stripe.WebhookEndpoint, apiVersion: string): Told {
  const missing_events = missingEvents(told);
  return {
    status: missing_events.length === 0 ? 'ok' : 'incomplete',
    missing_events,
    api_version: api_version === apiVersion ? null : api_version,
  };
}
