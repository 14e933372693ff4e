import { sql, type Transaction } from 'kysely';
import type { PaymentErrorReason } from '#contract/payment-errors.ts';
import { momentOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import { inUsd } from '../billing/amounts.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { lockAccount } from '../ledger/accounts.ts';
import { COUNTED, listed, ORDERED, WAITS_MS } from '../ledger/life.ts';
import {
  AUTOPAY,
  autopayState,
  HOLD_REASONS,
  isHold,
  isStopped,
  isUnanswered,
  type AutopayEvent,
  type AutopayState,
  type HoldReason,
} from '../ledger/autopay-life.ts';
import { mailReaders } from './readers.ts';

type Parts = Pick<Services, 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;

/** A declined charge. `message` is also shown on screens. */
interface Decline {
  message: string;
  nextAt: Date | undefined;
  amountMicros: number;
  /** The payment method, such as `Visa 4242`. */
  card: string;
}

type Stop = ({ why: 'declined' } & Decline) | { why: Exclude<PaymentErrorReason, 'declined'> };

/** The message of each reason except a decline. */
export const MESSAGES = {
  unknown:
    'The payment provider has not said whether the last charge went through. Until it does, nothing else is charged.',
  silent:
    'The payment provider has not said for 30 days whether a charge went through. So that it is not charged twice, autopay waits for a reset.',
  refunded:
    'Money was paid back, or taken out of the balance by the operator. So that it is not charged again, autopay waits for a reset.',
  disputed: 'A payment was disputed with the bank. Autopay waits for a reset.',
  mismatched:
    'The payment provider told of a payment that does not fit what was asked for. It is not in the balance, and the operator of this service has been told. Autopay waits for a reset.',
} as const;

const hasMessage = (why: PaymentErrorReason): why is keyof typeof MESSAGES => why in MESSAGES;

/** The message of autopay's error, for people. */
const messageOf = (stop: Stop): string => (stop.why === 'declined' ? stop.message : MESSAGES[stop.why]);

const USED_UP = 'When the balance is used up, new requests are refused.';

const HELPS = 'Replace the payment method, or add to the balance by hand in the billing overview.';

/** Clears autopay's error. Autopay then checks the balance as if it had just fallen. */
export const GOES_ON = { below: false, silent: false, error_why: null, error_message: null, error_at: null } as const;

/**
 * Applies an event to autopay, and locks its account. If autopay stops, and for each hold, mails owners and billing
 * members the reason and the time of the next try. Call `scheduleAutopay` afterwards. @param decline for the event
 * `declined`
 */
export async function moveAutopay(
  trx: Transaction<Schema>,
  services: Parts,
  organizationId: string,
  event: AutopayEvent,
  decline?: Decline,
): Promise<void> {
  const account = await lockAccount(trx, organizationId);
  if (account === undefined) return;
  const state = autopayState(account);
  const move = AUTOPAY[state][event];
  if (move === undefined) services.log.error({ organizationId, state, event }, 'autopay cannot make this move');
  // A further hold changes no state if it is of the same or a lower rank, but is mailed, too.
  if (move === 'late' && isHold(state) && isHold(event) && account.autopay_enabled)
    return tell(trx, services, organizationId, { why: event });
  if (move === undefined || move === 'late') return;
  const held = move === 'next' ? (await openHolds(trx, organizationId))[0] : undefined;
  const isUnknown = move === 'next' && isUnanswered(state) && (await hasUnheard(trx, organizationId));
  const next = move === 'next' ? (held?.why ?? (isUnknown ? 'unknown' : 'idle')) : move;
  const stop = stopOf(next, decline);
  await trx
    .updateTable('accounts')
    .set(
      stop === undefined
        ? GOES_ON
        : { ...stored(stop.why), error_message: messageOf(stop), error_at: held?.since ?? services.clock() },
    )
    .where('organization_id', '=', organizationId)
    .execute();
  // While autopay is off, a hold is not mailed; it is shown once autopay is on.
  if (stop !== undefined && (next !== state || move === 'declined') && (account.autopay_enabled || !isHold(next)))
    await tell(trx, services, organizationId, stop);
}

/** The columns of a reason. Earlier versions do not know `silent`, and read it as `unknown`. */
const stored = (why: PaymentErrorReason) =>
  why === 'silent' ? ({ error_why: 'unknown', silent: true } as const) : { error_why: why, silent: false };

const tell = (trx: Transaction<Schema>, services: Parts, organizationId: string, stop: Stop): Promise<void> =>
  mailReaders(trx, services, organizationId, (organization) => ({
    page: 'payment-setup',
    action: 'Open payment setup',
    ...words(stop, organization),
  }));

const stopOf = (state: AutopayState, decline: Decline | undefined): Stop | undefined => {
  if (!isStopped(state)) return undefined;
  return hasMessage(state) ? { why: state } : decline && { why: state, ...decline };
};

/** All open holds: the highest rank first, then the oldest. */
export async function openHolds(
  db: Db,
  organizationId: string,
): Promise<{ cause: string; why: HoldReason; since: Date }[]> {
  const { rows: open } = await sql<{ cause: string; why: HoldReason; since: Date }>`
    select cause, why, since from account_holds where organization_id = ${organizationId} and ended_at is null
    union all
    select 'silent:' || id, 'silent', coalesce(sent_at, created_at) + ${WAITS_MS.sent}::float8 * interval '1 millisecond'
    from payments where organization_id = ${organizationId} and silent and state not in ${listed(COUNTED)}
    order by since, cause`.execute(db);
  return open.toSorted((a, b) => HOLD_REASONS.indexOf(b.why) - HOLD_REASONS.indexOf(a.why));
}

/** SQL over an ordered row of `payments`: the provider has not confirmed the charge, or does not answer about it. */
const isUnheard = sql<boolean>`(payments.provider_id is null or payments.unheard_since is not null)`;

/** Whether the organization has a charge without an answer. */
const hasUnheard = async (trx: Transaction<Schema>, organizationId: string): Promise<boolean> =>
  (await trx
    .selectFrom('payments')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'autopay')
    .where('state', 'in', ORDERED)
    .where(isUnheard)
    .executeTakeFirst()) !== undefined;

/**
 * Mails owners and billing members that the outcome of a charge is unknown, once until a reset. A refused charge is only
 * looked for: while autopay is off, nothing waits for it.
 * @param before only for charges that were sent, or looked for, since then or earlier
 */
export async function tellUnknown(trx: Transaction<Schema>, services: Parts, id: string, before: Date): Promise<void> {
  const unknown = await trx
    .selectFrom('payments')
    .innerJoin('accounts', 'accounts.organization_id', 'payments.organization_id')
    .select('payments.organization_id')
    .where('id', '=', id)
    .where('state', 'in', ORDERED)
    .where(({ or, and, eb }) =>
      or([
        and([eb('refusal', 'is', null), eb('sent_at', '<=', before)]),
        and([eb('refusal', 'is not', null), eb('asked_at', '<=', before), eb('autopay_enabled', '=', true)]),
      ]),
    )
    .where(isUnheard)
    .executeTakeFirst();
  if (unknown !== undefined) await moveAutopay(trx, services, unknown.organization_id, 'unanswered');
}

function words(stop: Stop, organization: string): { title: string; before: string; after: string } {
  const message = messageOf(stop);
  switch (stop.why) {
    case 'declined':
      return {
        title: 'A payment failed',
        before: `Autopay could not charge ${inUsd(stop.amountMicros)} USD to ${stop.card} for ${organization}: ${message}`,
        after:
          stop.nextAt === undefined
            ? `Autopay won't try again by itself. ${HELPS} ${USED_UP}`
            : `Autopay tries again on ${momentOf(stop.nextAt)}. ${HELPS} When the balance is used up before, new requests are refused.`,
      };
    case 'unknown':
      return {
        title: 'A payment has no answer yet',
        before: `Autopay of ${organization} waits. ${message}`,
        after: `The payment provider is asked again by itself, and nothing is charged twice. ${USED_UP}`,
      };
    case 'silent':
    case 'refunded':
    case 'disputed':
    case 'mismatched':
      return { title: 'Autopay has stopped', before: `${organization}: ${message}`, after: USED_UP };
  }
}
