import { sql } from 'kysely';
import { MICROS_PER_CENT } from '#contract/billing.ts';
import type { Payment } from '#server/money/ledger/accounts.ts';
import { PAYMENTS } from '#server/money/ledger/life.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import type { Db } from '#server/platform/db/database.ts';
import { accountOf, entriesOf, paymentsOf } from '../books.ts';
import { causesOf, nameOf, type Entries, type Happened } from './causes.ts';
import { leftOfTests } from './modes.ts';
import type { ModelProvider } from './provider.ts';

/** All that is true after any step while the organization is there. @returns what is not */
export async function provenBooks(happened: Happened): Promise<string[]> {
  const { db, owner, provider, requests } = happened;
  const wrong: string[] = [];
  const entries = await entriesOf(db, owner.organizationId);
  wrong.push(...missingOf(certainCauses(happened, entries), entries));
  wrong.push(...unaccountedOf(entries, happened), ...excessOf(entries, provider));
  const rows = await db
    .selectFrom('usage_rows')
    .select(['id', 'status', 'cost_micros'])
    .where('organization_id', '=', owner.organizationId)
    .execute();
  const written = new Map(rows.map(({ id, ...row }) => [id, told(row)]));
  if (written.size !== rows.length) wrong.push('a request is written twice');
  const tried = new Set(requests.map(({ end }) => end.id));
  if (rows.some(({ id }) => !tried.has(id))) wrong.push('a request of somebody else is written');
  for (const { end, state } of requests)
    if (state === 'written' && written.get(end.id) !== told(end))
      wrong.push(`request ${end.id} is ${written.get(end.id)}, not ${told(end)}`);
  const account = await accountOf(db, owner.organizationId);
  if (account?.autopay_enabled === true && account.method_id === null) wrong.push('autopay has no payment method');
  wrong.push(...(await unreceiptedOf(db, owner.organizationId)));
  if (happened.modes.isTakenBack) wrong.push(...leftOfTests(entries, provider));
  return [...wrong, ...(await unkeptOf(happened, entries)), ...hastyOf(happened)];
}

const told = ({ status, cost_micros }: Pick<UsageEnd, 'status' | 'cost_micros'>) => `${status} for ${cost_micros}`;

/** What counts of payments, refunds, and refunds that failed, has one receipt each; their numbers have no gap. */
async function unreceiptedOf(db: Db, organizationId: string): Promise<string[]> {
  const { rows } = await sql<{ wrong: string }>`
    select e.cause || ' has ' || count(r.entry_id) || ' receipts' as wrong
    from ledger_entries e join payments p on p.id = e.payment_id left join receipts r on r.entry_id = e.id
    where e.organization_id = ${organizationId} and (e.kind in ('payment', 'refund') or e.cause like 'refund-failed:%')
    group by e.cause having count(r.entry_id) <> max(case when p.state = 'succeeded' and e.charge_id = p.provider_id then 1 else 0 end)
    union all
    select 'receipts ' || series || ' have a gap' from receipt_series s join receipts r using (series)
    group by series, s.next having s.next - 1 <> count(*) or s.next - 1 <> max(r.number)`.execute(db);
  return rows.map(({ wrong }) => wrong);
}

/**
 * All that is true after any step once the organization is gone: its books end at 0, and are there again after what is given back later, or
 * returns. @returns what is not
 */
export async function provenGone(happened: Happened): Promise<string[]> {
  const { db, owner, provider } = happened;
  const wrong: string[] = [];
  const { organizationId } = owner;
  const entries = await entriesOf(db, organizationId);
  const closing = `closed:${organizationId}`;
  const others = entries.filter(({ cause }) => !cause.startsWith('closed:'));
  wrong.push(...unaccountedOf(others, happened), ...excessOf(entries, provider), ...unclosedOf(entries, closing));
  wrong.push(...missingOf(await certainCausesOfGone(happened, entries), entries));
  wrong.push(...(await unreceiptedOf(db, organizationId)));
  // Less than a cent cannot be paid, and nothing where nothing has a price.
  if (
    !happened.starts.wasFree &&
    entries.some(({ cause, amount_micros }) => cause === closing && amount_micros >= MICROS_PER_CENT)
  )
    wrong.push('a debt is gone');
  const balance = (await accountOf(db, organizationId))?.balance_micros;
  if (balance !== 0) wrong.push(`the balance is ${balance} at the end`);
  const waits = (await paymentsOf(db, organizationId)).filter(({ state }) => ['due', 'sent', 'open'].includes(state));
  if (waits.length > 0) wrong.push(`payments wait: ${JSON.stringify(waits)}`);
  const rows = await db.selectFrom('usage_rows').select('id').where('organization_id', '=', organizationId).execute();
  if (rows.length > 0) wrong.push(`${rows.length} requests are left`);
  return [...wrong, ...(await unkeptOf(happened, entries)), ...hastyOf(happened)];
}

/** What follows the end is taken back by the next entry, and nothing else is. */
function unclosedOf(entries: Entries, closing: string): string[] {
  const end = entries.findIndex(({ cause }) => cause === closing);
  return entries.flatMap(({ cause, amount_micros }, index) => {
    if (cause === closing) return [];
    const isBack = cause.startsWith('closed:');
    if (!isBack && (end === -1 || index < end)) return [];
    const [one, back] = isBack ? [entries[index - 1], entries[index]] : [entries[index], entries[index + 1]];
    const isRight = back?.cause === `closed:${one?.cause}` && back.amount_micros === -(one?.amount_micros ?? 0);
    return isRight ? [] : [`after the end ${cause} is ${amount_micros} by itself`];
  });
}

/** Entries that are not what they are to be. */
function missingOf(causes: ReadonlyMap<string, number>, entries: Entries): string[] {
  const found = new Map(entries.map(({ cause, amount_micros }) => [cause, amount_micros]));
  return [...causes].flatMap(([cause, micros]) =>
    found.get(cause) === micros ? [] : [`${cause} should be ${micros}, is ${found.get(cause)}`],
  );
}

/** What the entries are to be for certain, but for those of usage, by their causes. */
export const certainCauses = (happened: Happened, entries: Entries): Map<string, number> =>
  causesOf(happened, entries, happened.handled, true);

/** The same of an organization that is gone: of its payments that count. */
async function certainCausesOfGone(happened: Happened, entries: Entries): Promise<Map<string, number>> {
  const { db, owner, provider, handled } = happened;
  const payments = await paymentsOf(db, owner.organizationId);
  const counted = new Set(payments.filter(({ state }) => state === 'succeeded').map(({ id }) => id));
  const events = provider.eventsOf(owner.organizationId).filter(({ paymentId }) => counted.has(paymentId));
  return causesOf(happened, entries, new Set(events.map(({ id }) => id).filter((id) => handled.has(id))), true);
}

/** Entries that nothing accounts for: also what another organization has paid, or was given back. */
function unaccountedOf(entries: Entries, happened: Happened): string[] {
  const possible = causesOf(happened, entries, happened.provider.told, false);
  return entries
    .filter(({ kind, cause, amount_micros }) => kind !== 'usage' && possible.get(cause) !== amount_micros)
    .map(({ cause, amount_micros }) => `nothing accounts for ${cause}: ${amount_micros}`);
}

/**
 * Refunds of a charge that are more than it together; more that came back than was taken; and fees that were returned
 * without having been taken.
 */
function excessOf(entries: Entries, { intents }: ModelProvider): string[] {
  const sums = new Map<string, number>();
  for (const { cause, amount_micros, charge_id } of entries) {
    const kind = /^(refund|dispute-fee|dispute)\b/.exec(cause)?.[0];
    if (kind === undefined || charge_id === null) continue;
    const name = kind === 'dispute-fee' ? (cause.split(':')[1] ?? '') : charge_id;
    sums.set(`${kind} ${name}`, (sums.get(`${kind} ${name}`) ?? 0) + amount_micros);
  }
  const wrong: string[] = [];
  for (const [name, micros] of sums) {
    const [kind, id] = name.split(' ');
    if (kind === 'dispute-fee' && micros > 0) wrong.push(`the fee of dispute ${id} was returned and never taken`);
    const paid = Math.max(...intents.filter(({ providerId }) => providerId === id).map((one) => one.amountMicros));
    if (kind !== 'dispute-fee' && (micros > 0 || (kind === 'refund' && -micros > paid)))
      wrong.push(`of charge ${id}, ${paid}, ${kind} is ${micros}`);
  }
  return wrong;
}

/** No payment goes another way than the table says, by one move or several; whoever says when. @throws Error */
export function proveMoves(before: readonly Payment[], after: readonly Payment[]): void {
  for (const { id, kind, state } of before) {
    const reached = new Set([state]);
    for (const one of reached)
      for (const target of Object.values(PAYMENTS[kind][one] ?? {})) if (target !== 'late') reached.add(target);
    const now = after.find((payment) => payment.id === id)?.state;
    if (now !== undefined && !reached.has(now)) throw new Error(`A payment (${kind}) went from ${state} to ${now}.`);
  }
}

/** Nothing that the provider knows of is neither in the books nor with the operator, though its events were lost. @returns what is */
export async function lostOf(happened: Happened): Promise<string[]> {
  const { db, owner, provider } = happened;
  const entered = await enteredOf(happened, await entriesOf(db, owner.organizationId));
  const kept = await keptOf(happened);
  const isThere = (cause: string): boolean => entered.has(cause) || kept.has(cause);
  return provider.eventsOf(owner.organizationId).flatMap((event) => {
    const cause = nameOf(event);
    if (cause === undefined || isThere(cause)) return [];
    // Of tests nobody is asked any more.
    if (provider.tests.has(event.paymentId) && !happened.handled.has(event.id)) return [];
    // The provider tells how it stands: where that is refused, its end stands for both.
    return isThere(cause.replace(/^(refund|dispute):/, (begin) => ENDS[begin] ?? begin)) ? [] : [`lost: ${cause}`];
  });
}

const ENDS: Record<string, string> = { 'refund:': 'refund-failed:', 'dispute:': 'dispute-won:' };

/** By what names money was entered that is still there; of a payment, that of the charge which counts. */
async function enteredOf({ db, owner }: Happened, entries: Entries): Promise<Set<string>> {
  const payments = await paymentsOf(db, owner.organizationId);
  const charges = payments.filter(({ state }) => state === 'succeeded');
  const reversed = new Set(entries.filter(({ cause }) => cause.startsWith('unpaid:')).map((entry) => entry.charge_id));
  return new Set([
    ...entries.filter(({ charge_id }) => charge_id === null || !reversed.has(charge_id)).map(({ cause }) => cause),
    ...charges.map(({ id, provider_id }) => `payment:${id}:${provider_id}`),
  ]);
}

/** What waits for the operator. */
async function keptOf({ db, owner, provider }: Happened): Promise<Set<string>> {
  const payments = [...new Set(provider.eventsOf(owner.organizationId).map(({ paymentId }) => paymentId))];
  if (payments.length === 0) return new Set();
  const rows = await db
    .selectFrom('refused_events')
    .select('cause')
    .where('payment_id', 'in', payments)
    .where('settled_at', 'is', null)
    .execute();
  return new Set(rows.map(({ cause }) => cause));
}

/** What was told is entered, or kept for the operator; never both. */
async function unkeptOf(happened: Happened, entries: Entries): Promise<string[]> {
  const { provider, owner, handled } = happened;
  const [causes, entered] = [await keptOf(happened), await enteredOf(happened, entries)];
  const lost = provider
    .eventsOf(owner.organizationId)
    .filter(({ id }) => handled.has(id))
    .flatMap((event) => {
      const cause = nameOf(event);
      return cause === undefined || entered.has(cause) !== causes.has(cause) ? [] : [cause];
    });
  return lost.map((cause) => `${cause} is ${causes.has(cause) ? 'entered, and kept for the operator' : 'lost'}`);
}

function hastyOf({ owner, provider }: Happened): string[] {
  const wrong: string[] = [];
  const intents = provider.intentsOf(owner.organizationId).filter(({ paymentId }) => !provider.tests.has(paymentId));
  const taken = intents.filter(({ state, key }) => state === 'paid' && key.startsWith('autopay:'));
  const crossings = taken.map(({ key }) => key.split(':')[2]);
  if (new Set(crossings).size !== crossings.length) wrong.push(`charged twice for a crossing: ${crossings.join()}`);
  if (provider.hasty.length > 0) wrong.push(`charged again too soon: ${provider.hasty.join()}`);
  return wrong;
}
