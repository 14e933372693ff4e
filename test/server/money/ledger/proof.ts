import type { Payment } from '#server/money/ledger/accounts.ts';
import { PAYMENTS } from '#server/money/ledger/life.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import type { MoneyEvent } from '#server/money/payments/port.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { TestUser } from '../../harness.ts';
import { accountOf, entriesOf, paymentsOf } from '../books.ts';
import type { ModelProvider } from './provider.ts';
import type { Request } from './requests.ts';
import type { Step } from './steps.ts';

const CREDIT = 10_000_000;

/** Something that the operator enters by hand. */
export interface Corrected {
  reference: string;
  micros: number;
  isEntered: boolean;
}

/** What has happened, as far as anybody can tell. */
export interface Happened {
  db: Db;
  owner: TestUser;
  provider: ModelProvider;
  requests: readonly Request[];
  corrections: readonly Corrected[];
  /** Events that were handled for certain. */
  handled: Set<string>;
}

/** All that is true after any step while the organization is there. @throws Error that says what is not */
export async function proveBooks(happened: Happened): Promise<void> {
  const { db, owner, provider, requests } = happened;
  const wrong: string[] = [];
  await hearOfAnswers(happened);
  // Of a payment that is not told yet, refunds and disputes may have been.
  const imbalances = (await proveLedger(db)).filter(({ what }) => what !== 'unpaid');
  if (imbalances.length > 0) wrong.push(`books: ${JSON.stringify(imbalances)}`);
  const entries = await entriesOf(db, owner.organizationId);
  const found = new Map(entries.map(({ cause, amount_micros }) => [cause, amount_micros]));
  for (const [cause, micros] of certainCauses(happened))
    if (found.get(cause) !== micros) wrong.push(`${cause} should be ${micros}, is ${found.get(cause)}`);
  wrong.push(...unaccountedOf(entries, happened));
  const rows = await db
    .selectFrom('usage_rows')
    .select(['id', 'cost_micros'])
    .where('organization_id', '=', owner.organizationId)
    .execute();
  const written = new Map(rows.map(({ id, cost_micros }) => [id, cost_micros]));
  if (written.size !== rows.length) wrong.push('a request is written twice');
  for (const { end, state } of requests)
    if (state === 'written' && written.get(end.id) !== end.cost_micros)
      wrong.push(`request ${end.id} costs ${written.get(end.id)}, not ${end.cost_micros}`);
  wrong.push(...(await unkeptOf(happened, new Set(found.keys()))), ...hastyOf(provider));
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}

/** All that is true after any step once the organization is gone: its books end at 0, and stay so. @throws Error */
export async function proveGone(happened: Happened): Promise<void> {
  const { db, owner, provider } = happened;
  const wrong: string[] = [];
  await hearOfAnswers(happened);
  const imbalances = (await proveLedger(db)).filter(({ what }) => what !== 'unpaid');
  if (imbalances.length > 0) wrong.push(`books: ${JSON.stringify(imbalances)}`);
  const { organizationId } = owner;
  const entries = await entriesOf(db, organizationId);
  const closing = `closed:${organizationId}`;
  wrong.push(
    ...unaccountedOf(
      entries.filter(({ cause }) => cause !== closing),
      happened,
    ),
  );
  if (entries.some(({ cause }, index) => cause === closing && index < entries.length - 1))
    wrong.push('something was entered after the end');
  if (entries.some(({ cause, amount_micros }) => cause === closing && amount_micros >= 0)) wrong.push('a debt is gone');
  const balance = (await accountOf(db, organizationId))?.balance_micros;
  if (balance !== 0) wrong.push(`the balance is ${balance} at the end`);
  const waits = (await paymentsOf(db, organizationId)).filter(({ state }) => ['due', 'sent', 'open'].includes(state));
  if (waits.length > 0) wrong.push(`payments wait: ${JSON.stringify(waits)}`);
  const rows = await db.selectFrom('usage_rows').select('id').where('organization_id', '=', organizationId).execute();
  if (rows.length > 0) wrong.push(`${rows.length} requests are left`);
  wrong.push(...(await unkeptOf(happened, await enteredOf(happened))), ...hastyOf(provider));
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}

/** Entries that nothing accounts for. */
function unaccountedOf(entries: Awaited<ReturnType<typeof entriesOf>>, happened: Happened): string[] {
  const possible = causesOf(happened, happened.provider.told, false);
  return entries
    .filter(({ kind, cause, amount_micros }) => kind !== 'usage' && possible.get(cause) !== amount_micros)
    .map(({ cause, amount_micros }) => `nothing accounts for ${cause}: ${amount_micros}`);
}

/** Disputes that were told for certain, and that nobody has won or lifted, as far as anybody can tell. */
export const openDisputes = (
  { provider, handled }: Pick<Happened, 'provider' | 'handled'>,
  lifted: ReadonlySet<string>,
): string[] =>
  provider.events.flatMap((event) => {
    const isOpen = event.type === 'disputed' && handled.has(event.id) && !lifted.has(event.disputeId);
    const isWon = provider.events.some(
      (one) => isOpen && one.type === 'dispute_won' && one.disputeId === event.disputeId && provider.told.has(one.id),
    );
    return isOpen && !isWon ? [event.disputeId] : [];
  });

/** Payments have moved only as their tables say, in however many moves. @throws Error */
export function proveMoves(before: readonly Payment[], after: readonly Payment[]): void {
  for (const { id, kind, state } of before) {
    const reached = new Set([state]);
    for (const one of reached)
      for (const target of Object.values(PAYMENTS[kind][one] ?? {})) if (target !== 'late') reached.add(target);
    const now = after.find((payment) => payment.id === id)?.state;
    if (now !== undefined && !reached.has(now)) throw new Error(`A payment (${kind}) went from ${state} to ${now}.`);
  }
}

/** An error that waits for a reset, and how many disputes were won, and refunds had failed, by then. */
interface Hold {
  why: string | undefined;
  over: number;
}

export async function holdOf(db: Db, { organizationId }: TestUser): Promise<Hold> {
  const { error_message = null, error_why = null } = (await accountOf(db, organizationId)) ?? {};
  const isHeld = error_message !== null && ['refunded', 'disputed', 'mismatched'].includes(error_why ?? '');
  const over = (await entriesOf(db, organizationId)).filter(({ cause }) => /^(dispute-won|refund-failed):/.test(cause));
  return { why: isHeld ? (error_why ?? undefined) : undefined, over: over.length };
}

/** Whether a step may end an error that waits for a reset: its owner resets it, or what it is about may end; the payment method is always the same. */
export const mayLift = (step: Step, { why }: Hold): boolean =>
  step.do === 'reset' || (why !== 'mismatched' && ['deliver', 'deliver again', 'reconcile'].includes(step.do));

/** An error that waits for a reset is there until one, or until what it is about has ended. @throws Error */
export function proveHeld(before: Hold, after: Hold, steps: readonly Step[]): void {
  if (before.why === undefined || after.why !== undefined) return;
  const isReset = steps.some(({ do: does }) => does === 'reset');
  const isOver = before.why !== 'mismatched' && after.over > before.over;
  if (!isReset && !isOver) throw new Error(`Autopay was ${before.why}, and is not any more, without a reset.`);
}

/** By what names money was entered. */
async function enteredOf({ db, owner }: Happened): Promise<Set<string>> {
  const rows = await db
    .selectFrom('ledger_entries')
    .select('cause')
    .where('organization_id', '=', owner.organizationId)
    .execute();
  return new Set(rows.map(({ cause }) => cause));
}

/** Nothing that the provider knows of is neither in the books nor with the operator, though its events were lost. @throws Error */
export async function proveComplete(happened: Happened): Promise<void> {
  const imbalances = await proveLedger(happened.db);
  if (imbalances.length > 0) throw new Error(`books: ${JSON.stringify(imbalances)}`);
  const [entered, kept] = [await enteredOf(happened), await keptOf(happened)];
  const causes = happened.provider.events.flatMap((event) => nameOf(event) ?? []);
  const lost = causes.filter((cause) => !entered.has(cause) && !kept.has(cause));
  if (lost.length > 0) throw new Error(`Lost: ${lost.join()}`);
}

async function keptOf({ db, provider }: Happened): Promise<Set<string>> {
  const payments = [...new Set(provider.events.map(({ paymentId }) => paymentId))];
  const rows = await db.selectFrom('refused_events').select('cause').where('payment_id', 'in', payments).execute();
  return new Set(rows.map(({ cause }) => cause));
}

/** What was told is entered, or kept for the operator; never both. */
async function unkeptOf(happened: Happened, entered: ReadonlySet<string>): Promise<string[]> {
  const { provider, handled } = happened;
  const causes = await keptOf(happened);
  const lost = provider.events
    .filter(({ id }) => handled.has(id))
    .flatMap((event) => {
      const cause = nameOf(event);
      return cause === undefined || entered.has(cause) !== causes.has(cause) ? [] : [cause];
    });
  return lost.map((cause) => `${cause} is ${causes.has(cause) ? 'entered, and kept for the operator' : 'lost'}`);
}

function hastyOf({ intents, hasty }: ModelProvider): string[] {
  const wrong: string[] = [];
  const taken = intents.filter(({ state, key }) => state === 'paid' && key.startsWith('autopay:'));
  const crossings = taken.map(({ key }) => key.split(':')[2]);
  if (new Set(crossings).size !== crossings.length) wrong.push(`charged twice for a crossing: ${crossings.join()}`);
  if (hasty.length > 0) wrong.push(`charged again too soon: ${hasty.join()}`);
  return wrong;
}

/** What the provider has answered, and the process has written down, was handled as the event would be. */
async function hearOfAnswers({ db, provider, handled }: Happened): Promise<void> {
  if (provider.asked.size === 0) return;
  const known = await db
    .selectFrom('payment_events')
    .select('id')
    .where('id', 'in', [...provider.asked.keys()])
    .execute();
  for (const { id } of known) handled.add(provider.asked.get(id) ?? '');
}

/** What the entries are to be for certain, but for those of usage, by their causes. */
export const certainCauses = (happened: Happened): Map<string, number> => causesOf(happened, happened.handled, true);

function causesOf(
  { owner, corrections, provider }: Happened,
  events: ReadonlySet<string>,
  onlyCertain: boolean,
): Map<string, number> {
  const causes = new Map([[`credit:start:${owner.organizationId}`, CREDIT]]);
  for (const { reference, micros, isEntered } of corrections)
    if (isEntered || !onlyCertain) causes.set(`correction:${owner.organizationId}:${reference}`, micros);
  for (const event of provider.events) {
    if (!events.has(event.id) || provider.unfit.has(event.id)) continue;
    if (event.type === 'paid') causes.set(`payment:${event.paymentId}`, event.amountMicros);
    if (event.type === 'refunded' || event.type === 'refund_failed')
      causes.set(`refund:${event.refundId}`, -event.amountMicros);
    if (event.type === 'refund_failed') causes.set(`refund-failed:${event.refundId}`, event.amountMicros);
    if (event.type === 'disputed' || event.type === 'dispute_won')
      causes.set(`dispute:${event.disputeId}`, -event.amountMicros);
    if (event.type === 'dispute_won') causes.set(`dispute-won:${event.disputeId}`, event.amountMicros);
  }
  return causes;
}

/** By what name the money of an event is entered, or kept; undefined where it tells of none. */
function nameOf(event: MoneyEvent): string | undefined {
  switch (event.type) {
    case 'paid':
      return `payment:${event.paymentId}`;
    case 'refunded':
      return `refund:${event.refundId}`;
    case 'refund_failed':
      return `refund-failed:${event.refundId}`;
    case 'disputed':
      return `dispute:${event.disputeId}`;
    case 'dispute_won':
      return `dispute-won:${event.disputeId}`;
    case 'foreign':
      return event.of === 'paid' ? `payment:${event.paymentId}` : `refund:${event.reference}`;
    case 'accepted':
    case 'canceled':
    case 'failed':
    case 'stored':
    case 'dispute_opened':
    case 'dispute_dropped':
      return undefined;
  }
}
