/**
 * The states of payments, and their transitions; `autopay-life.ts` has those of autopay. Rules and queries use these
 * tables, or sets of states that are derived from them; `npm run reference` lists them in docs/machines.md. `late` is an event that is expected
 * in a state and changes nothing. An event that is not listed changes nothing either, and is logged as an error.
 */
import { sql, type RawBuilder, type Updateable } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { LedgerTables } from '../../platform/db/ledger-tables.ts';
import type { Payment } from './accounts.ts';
import type { AutopayState } from './autopay-life.ts';

type Kind = Payment['kind'];
type State = Payment['state'];

/** The events of a payment: what has happened, and who records it. */
export const PAYMENT_EVENTS = {
  begun: 'the same attempt is made again: the request that begins it, before it asks',
  shown: 'the provider has a page for it: the request that begins it, after it asked',
  unbegun: 'the provider has none: the request that begins it, after it asked',
  accepted: 'the provider has the order, and says later whether it is paid: its event',
  left: 'its page was left, or has expired at the provider: its event',
  asked:
    'the provider is asked for the money, or whether it has a refused charge: the job of the charge, before it asks',
  dropped: 'the charge is not needed any more: whatever has changed balance, settings or error',
  refused:
    'the provider takes no such charge, which says nothing about the card: the job of the charge, its event or answer',
  never_made:
    'the provider was not asked, has no such charge an hour after it was, or has refused it: the job of the charge',
  paid: 'the provider has the money: its event or answer',
  stored: 'the provider has stored a payment method: its event or answer',
  declined: 'the card or its bank has refused: its event or answer',
  mismatched: 'the provider tells of a payment that does not fit what was asked for: its event or answer',
  expired: 'it has waited too long: the look that runs each minute',
  removed: 'the payment method was removed after the setup was begun: the request',
} as const;
export type PaymentEvent = keyof typeof PAYMENT_EVENTS;

type Moves<S extends string, E extends string, To extends string> = Partial<Record<S, Partial<Record<E, To | 'late'>>>>;

const LATE = { shown: 'late', accepted: 'late', left: 'late', declined: 'late' } as const;
const OPEN = {
  ...({ shown: 'open', unbegun: 'canceled', left: 'canceled', expired: 'canceled' } as const),
  ...({ accepted: 'sent', declined: 'failed' } as const),
};
const SENT = { shown: 'late', accepted: 'late', left: 'late', declined: 'failed', expired: 'failed' } as const;
/** An attempt that had no page may be made again. */
const CANCELED = { ...LATE, begun: 'open', shown: 'open', unbegun: 'late' } as const;
/** A payment that has ended without money still counts if the provider reports the money later. */
const MONEY = { paid: 'succeeded', mismatched: 'failed' } as const;
const CHARGE_LATE = { refused: 'late', never_made: 'late', declined: 'late' } as const;
const MONEY_LATE = { paid: 'late', mismatched: 'late' } as const;

export const PAYMENTS: Record<Kind, Moves<State, PaymentEvent, State>> = {
  payment: {
    open: { ...OPEN, ...MONEY },
    sent: { ...SENT, ...MONEY },
    succeeded: { ...LATE, ...MONEY_LATE },
    failed: { ...LATE, ...MONEY },
    canceled: { ...CANCELED, ...MONEY },
  },
  setup: {
    open: { ...OPEN, stored: 'succeeded', removed: 'failed' },
    sent: { ...SENT, stored: 'succeeded', removed: 'failed' },
    succeeded: { ...LATE, stored: 'late' },
    // A failed setup stores nothing later, because the method may have been removed since.
    failed: { ...LATE, stored: 'late', unbegun: 'late' },
    canceled: { ...CANCELED, stored: 'succeeded' },
  },
  autopay: {
    // In a restored database a charge may be due that was already made.
    due: { asked: 'sent', dropped: 'canceled', expired: 'canceled', declined: 'failed', ...MONEY },
    // `never_made` is no decline: it says nothing about the method.
    sent: { refused: 'due', never_made: 'canceled', declined: 'failed', expired: 'failed', ...MONEY },
    succeeded: { ...CHARGE_LATE, ...MONEY_LATE },
    failed: { ...CHARGE_LATE, ...MONEY },
    canceled: { ...CHARGE_LATE, ...MONEY },
  },
};

const STATES = ['due', 'open', 'sent', 'succeeded', 'failed', 'canceled'] as const satisfies readonly State[];
const KINDS = ['payment', 'setup', 'autopay'] as const satisfies readonly Kind[];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * How long a payment waits in a state before it expires, milliseconds. A due one counts from `run_at`; if the provider
 * has refused it, from its creation. A bank debit takes two weeks.
 */
export const WAITS_MS = { open: DAY_MS, sent: 30 * DAY_MS, due: 30 * DAY_MS } as const;
/** The wait of an attempt without a page, milliseconds: its request is under way, or its process has died. */
const PAGELESS_MS = HOUR_MS;

const isWaiting = (state: State): state is keyof typeof WAITS_MS => state in WAITS_MS;

/** The first state of each kind of payment. */
export const FIRST = { payment: 'open', setup: 'open', autopay: 'due' } as const satisfies Record<Kind, State>;

/** When a payment expires that has entered a state; null for a final state. @param from when the wait begins */
export const endOfWait = (state: State, from: Date): Date | null =>
  isWaiting(state) ? new Date(from.getTime() + WAITS_MS[state]) : null;
export const endOfPageless = (from: Date): Date => new Date(from.getTime() + PAGELESS_MS);

/**
 * Applies an event to a payment, and writes the columns of `set` with its new state. Requires the account's lock. Only
 * this and {@link dropDue} write the state of a payment.
 * @returns the changed payment; undefined if its state does not change
 */
export async function movePayment(
  trx: Db,
  { log, clock }: Pick<Services, 'log' | 'clock'>,
  id: string,
  event: PaymentEvent,
  set: Omit<Updateable<LedgerTables['payments']>, 'state' | 'ends_at' | 'failed_at'> = {},
): Promise<Payment | undefined> {
  const payment = await trx
    .selectFrom('payments')
    .select(['kind', 'state', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (payment === undefined) return undefined;
  const { kind, state } = payment;
  const target = PAYMENTS[kind][state]?.[event];
  if (target === undefined) log.error({ payment: id, kind, state, event }, 'a payment cannot make this move');
  if (target === undefined || target === 'late') return undefined;
  // Counts from the creation, so that a charge expires however often it is refused.
  const from = event === 'refused' ? payment.created_at : set.run_at instanceof Date ? set.run_at : clock();
  const ends_at = event === 'begun' ? endOfPageless(from) : endOfWait(target, from);
  return trx
    .updateTable('payments')
    .set({ ...set, state: target, ends_at, ...(target === 'failed' && { failed_at: clock() }) })
    .where('id', '=', id)
    .where('state', '=', state)
    .returningAll()
    .executeTakeFirst();
}

/** The states in which an event changes a payment of this kind. */
export const statesBefore = (kind: Kind, event: PaymentEvent): State[] =>
  STATES.filter((state) => (PAYMENTS[kind][state]?.[event] ?? 'late') !== 'late');

/** The states in which a payment of this kind waits, and may expire. */
export const waitingStates = (kind: Kind): State[] =>
  STATES.filter((state) => isWaiting(state) && PAYMENTS[kind][state] !== undefined);

/** The states that an event leads to. */
export const statesAfter = (kind: Kind, event: PaymentEvent): State[] =>
  STATES.filter((state) => Object.values(PAYMENTS[kind]).some((moves) => moves[event] === state));

/** Sets of states, derived from the tables. Rules and queries use these instead of naming states. */
const among = (...states: State[][]): readonly State[] => STATES.filter((one) => states.flat().includes(one));
/** The payment expires unless something else ends it. */
export const WAITING = among(...KINDS.map(waitingStates));
/** The provider may have a page for it. */
export const ON_PAGE = among(statesBefore('payment', 'left'));
/** The page has ended without money. If the attempt had no page yet, it may be made again. */
export const LEFT = among(statesBefore('payment', 'begun'));
/** The provider was not asked for the charge yet. */
export const UNASKED = among(statesBefore('autopay', 'asked'));
/** The provider has the order, or was asked for the charge. */
export const ORDERED = among(statesAfter('autopay', 'asked'), statesAfter('payment', 'accepted'));
/** The payment has succeeded: its money, or the method that it stored, counts. */
export const COUNTED = among(statesAfter('payment', 'paid'), statesAfter('setup', 'stored'));
/** The provider was asked for the charge, and the charge has ended. */
export const CHARGED = among(statesAfter('autopay', 'paid'), statesAfter('autopay', 'declined'));

/** A set of states as SQL literals, because partial indexes do not match parameters. */
export const listed = (states: readonly (State | AutopayState)[]): RawBuilder<State> =>
  sql`(${sql.join(states.map((state) => sql.lit(state)))})`;

/**
 * Cancels charges of autopay that are not sent yet. A refused one may have been made, so its job looks for it first, as
 * soon as it runs, and then cancels it. Requires the account's lock.
 * @param evenRefused cancels refused charges, too: the account is closed, and no job looks for its charges
 */
export async function dropDue(trx: Db, organizationId: string, { evenRefused = false } = {}): Promise<void> {
  const due = trx
    .updateTable('payments')
    .where('organization_id', '=', organizationId)
    .where('kind', '=', 'autopay')
    .where('state', 'in', statesBefore('autopay', 'dropped'));
  await due
    .set({ state: 'canceled', ends_at: null })
    .$if(!evenRefused, (query) => query.where('refusal', 'is', null))
    .execute();
  await due.set((eb) => ({ run_at: eb.ref('created_at') })).execute();
}
