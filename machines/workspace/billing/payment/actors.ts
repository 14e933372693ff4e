import type { PaymentAttempt } from '#contract/billing.ts';
import { callbackPlaceholder, promisePlaceholder } from '../../../shared/placeholder.ts';

/** What is begun on the payment provider's page: a payment into the balance, or the setup of a payment method. */
export type AttemptKind = 'payment' | 'setup';
/** `amountMicros` is null for a setup. */
export type Wanted = { orgUuid: string; kind: AttemptKind; amountMicros: number | null };

/**
 * The UUID of what is begun: the one that this browser has made for the same before, else a new one. So what is asked for
 * twice, after a reload or in two tabs, is begun once. `over`: that one has ended.
 */
export const takeAttempt = promisePlaceholder<string, Wanted & { over: string | null }>('takeAttempt');
/** What has ended is not to be begun again. */
export type AttemptEnded = { type: 'attempt.ended'; orgUuid: string; attempt: string };
export const attemptMemory = callbackPlaceholder<AttemptEnded>('attemptMemory');
/** POST …/payment/ or …/payment/setup/: the address of the page. */
export const openPage = promisePlaceholder<string, Wanted & { attempt: string }>('openPage');
/** Leaves the console for an address; resolves only if the browser shows this page again, as after Back. */
export const leavePage = promisePlaceholder<void, { url: string }>('leavePage');
/** GET …/payment/status/?attempt= */
export const readAttempt = promisePlaceholder<PaymentAttempt, { orgUuid: string; attempt: string }>('readAttempt');
