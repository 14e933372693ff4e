import { sql } from 'kysely';
import type { Account } from '#server/money/ledger/accounts.ts';
import type { MoneyEvent } from '#server/money/payments/port.ts';
import { accountOf } from '../books.ts';
import { isContested, type Happened } from './causes.ts';
import type { Step } from './steps.ts';
import { aboutOf } from './told.ts';

/** Whether it tells of a dispute, or of its bank's question. */
export const isBegin = (event: MoneyEvent): boolean =>
  event.type === 'dispute_opened' ||
  event.type === 'disputed' ||
  (event.type === 'other_currency' && event.of === 'disputed');

/** Whether it tells of the end of a dispute or refund that held autopay. */
const isEnd = (event: MoneyEvent): boolean =>
  ['dispute_dropped', 'dispute_won', 'refund_failed'].includes(event.type === 'other_currency' ? event.of : event.type);

/** What was told of an organization after the first so many tellings: disputes, whether one or a refund has ended, and payment methods. */
export function toldSince({ provider, owner }: Happened, tellings: number) {
  const told = new Set(provider.tellings.slice(tellings));
  const events = provider.eventsOf(owner.organizationId).filter(({ id }) => told.has(id));
  return {
    told,
    begins: events.filter(isBegin),
    hasEnd: events.some(isEnd),
    cards: events.flatMap((event) => (event.type === 'stored' ? [event.method.last4] : [])),
  };
}

/**
 * Disputes, from their bank's question on, that were told for certain, and that nobody has ended or lifted, as far as anybody can tell.
 * @param lifted what was told of them before a reset; of a question, the money that is taken after it holds anew
 */
export function openDisputes(happened: Happened, lifted: ReadonlySet<string>): string[] {
  const { owner, provider, handled } = happened;
  const events = provider.eventsOf(owner.organizationId);
  const over = new Set(
    events.flatMap((event) => (isEnd(event) && provider.told.has(event.id) ? [aboutOf(event)] : [])),
  );
  const gone = new Set(events.flatMap((event) => (lifted.has(event.id) ? [aboutOf(event)] : [])));
  return events
    .filter((event) => isBegin(event) && handled.has(event.id) && !lifted.has(event.id) && !over.has(aboutOf(event)))
    .filter((event) => !gone.has(aboutOf(event)) || isTakenAnew(event, happened))
    .map((event) => `disputed: ${aboutOf(event)}`);
}

const isTakenAnew = (event: MoneyEvent, happened: Happened): boolean =>
  event.type === 'disputed' && !isContested(event, happened);

/** An error that waits for a reset; undefined where there is none. */
export function holdOf({ error_message, error_why, silent }: Account): string | undefined {
  if (error_message === null || error_why === null) return undefined;
  if (error_why === 'unknown') return silent ? 'silent' : undefined;
  return ['refunded', 'disputed', 'mismatched'].includes(error_why) ? error_why : undefined;
}

const isResetOf = (step: Step, of: 0 | 1): boolean => step.do === 'reset' && step.of === of;

/** Steps that the provider is heard in. */
const isHeard = ({ do: does }: Step): boolean => does === 'deliver' || does === 'deliver again' || does === 'reconcile';

/** Whether a step may end an error that waits for a reset: its owner resets it, what it is about may end, or another card is stored. */
export const mayLift = (step: Step, of: 0 | 1, why: string | undefined): boolean =>
  isResetOf(step, of) ||
  (why !== 'mismatched' && (isHeard(step) || (why !== 'silent' && step.do === 'set up' && step.of === of)));

/**
 * An error that waits for a reset is there until one, or until what it is about ends, or is told; a dispute until another card, too.
 * @throws Error
 */
export function proveHeld(
  before: string | undefined,
  after: string | undefined,
  by: { steps: readonly Step[]; of: 0 | 1; hasEnd: boolean; hasCard: boolean; isHeardOf: boolean },
): void {
  if (before === undefined || after !== undefined || by.steps.some((step) => isResetOf(step, by.of))) return;
  const isOver = before === 'silent' ? by.isHeardOf : by.hasEnd || (by.hasCard && before === 'disputed');
  if (before === 'mismatched' || !isOver)
    throw new Error(`Autopay was ${before}, and is not any more, without a reset.`);
}

/** How far its entries go, before a step that enters refunds, and turns autopay neither on nor off; else undefined. */
export async function beforeRefunds({ db, owner }: Happened, steps: readonly Step[]): Promise<string | undefined> {
  if (steps.length !== 1 || !steps.every(isHeard)) return undefined;
  const { rows } = await sql<{ last: string }>`
    select coalesce(max(position), 0) as last from ledger_entries where organization_id = ${owner.organizationId}`.execute(
    db,
  );
  return rows[0]?.last;
}

/** Refunds entered after that, where autopay is on: it would charge them back. */
export async function refundsSince({ db, owner }: Happened, last: string): Promise<string[]> {
  const account = await accountOf(db, owner.organizationId);
  if (account?.autopay_enabled !== true) return [];
  const { rows } = await sql<{ refund: string }>`
    select substr(cause, length('refund:') + 1) as refund from ledger_entries
    where organization_id = ${owner.organizationId} and position > ${last} and cause like 'refund:%'`.execute(db);
  return rows.map(({ refund }) => refund);
}

/** Those of them that have not failed, as far as was told. */
export function openRefunds({ provider, owner }: Happened, refunds: ReadonlySet<string>): string[] {
  const failed = provider
    .eventsOf(owner.organizationId)
    .flatMap((event) => (event.type === 'refund_failed' && provider.told.has(event.id) ? [event.refundId] : []));
  return [...refunds].filter((refund) => !failed.includes(refund)).map((refund) => `refunded: ${refund}`);
}
