import type { PaymentAttempt } from '#contract/billing.ts';
import { callbackPlaceholder, promisePlaceholder } from '../../../shared/placeholder.ts';

/** A payment into the balance, or the setup of a payment method; both on the payment provider's page. */
export type AttemptKind = 'payment' | 'setup';
/** `amountMicros` is null for a setup. */
export type PaymentWish = { orgUuid: string; kind: AttemptKind; amountMicros: number | null };

/**
 * The UUID of the attempt: the one that this browser has made for the same wish, else a new one, so that a repeat after
 * a reload or in another tab begins one attempt only. Never `endedAttempt`, which has ended.
 */
export const takeAttempt = promisePlaceholder<string, PaymentWish & { endedAttempt: string | null }>('takeAttempt');
/** Tells {@link attemptMemory} to forget an attempt that has ended. */
export type AttemptEnded = { type: 'attempt.ended'; orgUuid: string; attempt: string };
export const attemptMemory = callbackPlaceholder<AttemptEnded>('attemptMemory');
/** POST …/payment/ or …/payment/setup/; resolves to the URL of the provider's page. */
export const openPage = promisePlaceholder<string, PaymentWish & { attempt: string }>('openPage');
/** Leaves the console for a URL; resolves only if the browser shows this page again, as after Back. */
export const leavePage = promisePlaceholder<void, { url: string }>('leavePage');
/** GET …/payment/status/?attempt= */
export const readAttempt = promisePlaceholder<PaymentAttempt, { orgUuid: string; attempt: string }>('readAttempt');
