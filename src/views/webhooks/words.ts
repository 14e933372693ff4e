/** Texts about webhooks. */
import { TRIES_LISTED, type DeliveryState, type TryFailure, type WebhookDelivery } from '#contract/webhooks.ts';
import { formatCount } from '../ui/figures.ts';

export const STATE_NAMES: Readonly<Record<DeliveryState, string>> = {
  waiting: 'Waiting',
  delivered: 'Delivered',
  failed: 'Failed',
};

type Failing = Exclude<TryFailure, 'status'>;
const FAILURES: Readonly<Record<Failing, string>> = {
  not_allowed: 'Address not allowed',
  too_slow: 'No answer in time',
  unreachable: 'Not reached',
  unreadable_secret: 'Header unreadable',
  interrupted: 'Interrupted',
};
const REASONS: Readonly<Record<Failing, string>> = {
  not_allowed: 'The address leads to a network that webhooks may not reach.',
  too_slow: 'There was no answer within 10 seconds.',
  unreachable: 'The address could not be reached: its name, its server or its certificate failed.',
  unreadable_secret: 'The header that the request named can no longer be read.',
  interrupted: 'This server stopped during the attempt. It is not known whether the webhook arrived.',
};

type Ending = { status_code: number | null; failure: TryFailure | null };

/** How an attempt ended: the HTTP status or the failure; null while it is under way. */
export function outcomeOf({ status_code, failure }: Ending): string | null {
  if (failure !== null && failure !== 'status') return FAILURES[failure];
  return status_code === null ? null : `HTTP ${status_code}`;
}

/** Why an attempt failed, as a sentence; null if it did not. */
export function reasonOf({ status_code, failure }: Ending): string | null {
  if (failure === null) return null;
  if (failure !== 'status') return REASONS[failure];
  return status_code !== null && status_code >= 300 && status_code < 400
    ? 'Redirects are not followed.'
    : 'Only a status of 2xx counts as received.';
}

const inUnit = (unit: string) => new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'short' });
const SPANS = [
  { format: inUnit('hour'), ms: 3_600_000 },
  { format: inUnit('minute'), ms: 60_000 },
] as const;

/** The time until something is due: 'in 4 min'; 'now' once it is. */
export function formatDue(timestamp: string, now: number = Date.now()): string {
  const ms = Date.parse(timestamp) - now;
  const span = SPANS.find((candidate) => ms >= candidate.ms);
  if (span) return `in ${span.format.format(Math.round(ms / span.ms))}`;
  return ms > 0 ? 'in under 1 min' : 'now';
}

/** The number of all attempts, if not all are listed; else null. */
export const hiddenText = ({ tries }: WebhookDelivery): string | null =>
  tries > TRIES_LISTED ? `The latest ${TRIES_LISTED} of ${formatCount(tries)}.` : null;
