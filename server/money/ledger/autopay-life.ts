/** The states of autopay, and their transitions, as `life.ts` has those of payments. */
import { sql } from 'kysely';
import type { PaymentErrorReason } from '#contract/payment-errors.ts';
import type { Account } from './accounts.ts';

/** `idle`: the balance is not low. `low`: a charge was made due for the low balance. Others: why autopay is stopped. */
export type AutopayState = 'idle' | 'low' | PaymentErrorReason;

/** The events of autopay: what has happened, and who records it. */
export const AUTOPAY_EVENTS = {
  crossed: 'the balance has fallen below the threshold: whatever has changed one of them',
  risen: 'the balance has risen above it, or autopay was turned off: whatever has changed one of them',
  declined: 'a charge was declined: the event or answer that says so',
  unanswered: 'a charge has had no answer for half an hour: its job, or the look that runs each minute',
  paid: 'somebody has paid by hand: its event or answer',
  charged: 'a charge has brought its money: its event or answer',
  silent: 'a charge has had no word for 30 days, and has ended: the look that runs each minute',
  heard: 'that charge has an end after all: its event or answer',
  ended:
    'a charge has ended without money, and is not tried again: its job, the look that runs each minute, or the request that turns autopay off',
  answered: 'a charge was declined that autopay would not make any more: the event or answer that says so',
  method: 'another payment method is stored: its event or answer',
  removed: 'the payment method was removed: the request',
  refunded: 'money was paid back while autopay is on: the event or answer of a refund, or a correction by the operator',
  refund_failed: 'that refund has failed: its event or answer',
  disputed: 'a payment was disputed: its event or answer',
  won: 'that dispute was won: its event or answer',
  mismatched: 'the money of a charge does not fit: its event or answer',
  reset: 'an owner, or who looks after billing, has reset the error: the request',
} as const;
export type AutopayEvent = keyof typeof AUTOPAY_EVENTS;

/** A hold ignores events of charges: it ends only by its own reason or by a reset. */
const IGNORED_BY_HOLDS = {
  ...({ declined: 'late', unanswered: 'late', answered: 'late', paid: 'late' } as const),
  ...({ charged: 'late', ended: 'late', removed: 'late', silent: 'late', heard: 'late' } as const),
};
const HOLDS = { refunded: 'refunded', mismatched: 'mismatched', disputed: 'disputed' } as const;
const GOING = {
  ...HOLDS,
  ...({
    silent: 'silent',
    declined: 'declined',
    unanswered: 'unknown',
    paid: 'next',
    charged: 'next',
    ended: 'next',
  } as const),
  ...({ answered: 'late', method: 'next', removed: 'next', reset: 'idle' } as const),
};

/**
 * Transitions of autopay. `next` leads to the reason of another open hold; without one, to `unknown` if a charge still
 * has no answer and people were told so; else to `idle`.
 */
export const AUTOPAY: Record<AutopayState, Partial<Record<AutopayEvent, AutopayState | 'next' | 'late'>>> = {
  idle: { ...GOING, crossed: 'low' },
  low: { ...GOING, risen: 'idle' },
  declined: GOING,
  // The charge may have been made, so another payment or method does not start a new one.
  unknown: {
    ...GOING,
    ...({
      unanswered: 'late',
      answered: 'next',
      paid: 'late',
      method: 'late',
      removed: 'late',
      heard: 'next',
    } as const),
  },
  silent: {
    ...IGNORED_BY_HOLDS,
    ...HOLDS,
    ...({ method: 'late', heard: 'next', reset: 'idle' } as const),
  },
  refunded: { ...IGNORED_BY_HOLDS, ...HOLDS, refunded: 'late', method: 'late', refund_failed: 'next', reset: 'idle' },
  mismatched: {
    ...IGNORED_BY_HOLDS,
    ...HOLDS,
    ...({ refunded: 'late', mismatched: 'late', method: 'late', refund_failed: 'late', reset: 'idle' } as const),
  },
  disputed: {
    ...IGNORED_BY_HOLDS,
    ...({ refunded: 'late', mismatched: 'late', disputed: 'late', refund_failed: 'late', reset: 'idle' } as const),
    ...({ won: 'next', method: 'next' } as const),
  },
};

/**
 * Reasons that hold autopay until they end or are reset, whatever happens to charges. A later one outranks earlier
 * ones.
 */
export const HOLD_REASONS = [
  'silent',
  'refunded',
  'mismatched',
  'disputed',
] as const satisfies readonly PaymentErrorReason[];
export type HoldReason = (typeof HOLD_REASONS)[number];

export const isHold = (of: AutopayState | AutopayEvent): of is HoldReason =>
  HOLD_REASONS.some((reason) => reason === of);

/** Whether autopay waits for the answer to a charge, and people were told so. */
export const isUnanswered = (state: AutopayState): boolean => state === 'unknown';

/** Whether a hold keeps autopay from charging. */
export const isHeld = (account: Account): boolean => isHold(autopayState(account));

const AUTOPAY_STATES = [
  'idle',
  'low',
  'declined',
  'unknown',
  ...HOLD_REASONS,
] as const satisfies readonly AutopayState[];

/** States in which autopay follows the balance: nothing has stopped it. */
export const GOING_ON: readonly AutopayState[] = AUTOPAY_STATES.filter(
  (state) => (AUTOPAY[state].crossed ?? AUTOPAY[state].risen) !== undefined,
);
export const isStopped = (state: AutopayState): state is PaymentErrorReason => !GOING_ON.includes(state);

const endedBy = (event: AutopayEvent): readonly HoldReason[] =>
  HOLD_REASONS.filter((reason) => (AUTOPAY[reason][event] ?? 'late') !== 'late');
/** Holds that end when a dispute is won. */
export const DISPUTED = endedBy('won');
/** Holds that end when another payment method is stored. */
export const ENDED_BY_METHOD = endedBy('method');

/** {@link autopayState} as an SQL expression over a row of `accounts`. */
export const stateOfAutopay = sql<AutopayState>`case when accounts.error_message is not null then
    case when accounts.error_why = 'unknown' and accounts.silent then 'silent' else coalesce(accounts.error_why, 'declined') end
  when accounts.below then 'low' else 'idle' end`;

/** The state of autopay. Earlier versions write, and clear, only the message; without a reason it is a decline. */
export function autopayState({ error_message, error_why, silent, below }: Account): AutopayState {
  if (error_message === null) return below ? 'low' : 'idle';
  return error_why === 'unknown' && silent ? 'silent' : (error_why ?? 'declined');
}
