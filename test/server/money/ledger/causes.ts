import type { MoneyEvent } from '#server/money/payments/port.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { TestUser } from '../../harness.ts';
import type { entriesOf } from '../books.ts';
import { takenBack, type Modes } from './modes.ts';
import type { ModelProvider } from './provider.ts';
import type { Request } from './requests.ts';
import type { Starts } from './starts.ts';

const CREDIT = 10_000_000;

/** Something that the operator enters by hand. */
export interface Corrected {
  reference: string;
  micros: number;
  isEntered: boolean;
}

/** What has happened to one organization, as far as anybody can tell. */
export interface Happened {
  db: Db;
  owner: TestUser;
  provider: ModelProvider;
  requests: readonly Request[];
  corrections: readonly Corrected[];
  /** Events that were handled for certain. */
  handled: Set<string>;
  modes: Modes;
  starts: Starts;
}

export type Entries = Awaited<ReturnType<typeof entriesOf>>;

/** By what name the money of an event is kept, or would be; undefined where it tells of none. */
export function nameOf(event: MoneyEvent): string | undefined {
  switch (event.type) {
    case 'paid':
      return `payment:${event.paymentId}:${event.providerId}`;
    case 'refunded':
      return `refund:${event.refundId}`;
    case 'refund_failed':
      return `refund-failed:${event.refundId}`;
    case 'disputed':
      return `dispute:${event.disputeId}`;
    case 'dispute_won':
      return `dispute-won:${event.disputeId}`;
    case 'other_currency':
      return FOREIGN[event.of] + (event.of === 'paid' ? `${event.paymentId}:` : '') + event.reference;
    case 'accepted':
    case 'canceled':
    case 'failed':
    case 'refused':
    case 'stored':
    case 'dispute_opened':
    case 'dispute_dropped':
      return undefined;
  }
}

const FOREIGN = {
  ...({ paid: 'payment:', refunded: 'refund:', refund_failed: 'refund-failed:' } as const),
  ...({ disputed: 'dispute:', dispute_won: 'dispute-won:' } as const),
};

/** What an event is to enter where the books take it. */
function entriesFor(event: MoneyEvent): [cause: string, micros: number][] {
  const feesOf = (taken: number, returned: number, id: string) =>
    (
      [
        [`dispute-fee-taken:${id}`, -taken],
        [`dispute-fee-returned:${id}`, returned],
      ] as [string, number][]
    ).filter(([, micros]) => micros !== 0);
  switch (event.type) {
    case 'paid':
      return [[`payment:${event.paymentId}`, event.amountMicros]];
    case 'refunded':
      return [[`refund:${event.refundId}`, -event.amountMicros]];
    case 'refund_failed':
      return [
        [`refund:${event.refundId}`, -event.amountMicros],
        [`refund-failed:${event.refundId}`, event.amountMicros],
      ];
    case 'disputed':
      return [[`dispute:${event.disputeId}`, -event.amountMicros], ...feesOf(event.feeMicros ?? 0, 0, event.disputeId)];
    case 'dispute_won':
      return [
        [`dispute:${event.disputeId}`, -(event.takenMicros ?? event.amountMicros)],
        [`dispute-won:${event.disputeId}`, event.amountMicros],
        ...feesOf(event.takenFeeMicros ?? 0, -(event.feeMicros ?? 0), event.disputeId),
      ];
    case 'accepted':
    case 'canceled':
    case 'failed':
    case 'refused':
    case 'stored':
    case 'dispute_opened':
    case 'dispute_dropped':
    case 'other_currency':
      return [];
  }
}

/**
 * Whether what the books do with a refund or dispute hangs on what was told first: its payment was paid twice, or does
 * not fit, or all refunds together are more than it.
 */
export function isContested(event: MoneyEvent, { provider, handled }: Pick<Happened, 'provider' | 'handled'>): boolean {
  if (event.type === 'paid') return false;
  const { paymentId } = event;
  if (provider.isTwice(paymentId)) return true;
  const charges = provider.intents.filter((intent) => intent.paymentId === paymentId);
  if (charges.some(({ state }) => state === 'of another amount')) return true;
  // A dispute takes what its bank does.
  if (!('refundId' in event)) return false;
  // What it had not told as payments became real counts, too: an end that was told enters its beginning.
  const all = [...provider.events, ...provider.late];
  const failed = new Set(
    all.flatMap((one) => (one.type === 'refund_failed' && handled.has(one.id) ? [one.refundId] : [])),
  );
  let sum = 0;
  for (const one of all) {
    if (one.paymentId !== paymentId || provider.unfit.has(one.id)) continue;
    if (one.type === 'refunded' && !failed.has(one.refundId)) sum += one.amountMicros;
  }
  return sum > Math.max(...charges.map(({ amountMicros }) => amountMicros));
}

/**
 * What the entries may be, but for those of usage, by their causes.
 * @param events that were told, or that were handled for certain
 * @param onlyCertain what they are for certain; of what hangs on the order of events, what is entered
 */
export function causesOf(
  happened: Happened,
  entries: Entries,
  events: ReadonlySet<string>,
  onlyCertain: boolean,
): Map<string, number> {
  const { owner, corrections, provider } = happened;
  const entered = new Set(entries.map(({ cause }) => cause));
  const causes = new Map([[`credit:start:${owner.organizationId}`, CREDIT]]);
  for (const { reference, micros, isEntered } of corrections)
    if (isEntered || !onlyCertain) causes.set(`correction:${owner.organizationId}:${reference}`, micros);
  for (const event of provider.eventsOf(owner.organizationId)) {
    if (!events.has(event.id) || provider.unfit.has(event.id)) continue;
    const isSure = !onlyCertain || !isContested(event, happened);
    for (const [cause, micros] of entriesFor(event)) if (isSure || entered.has(cause)) causes.set(cause, micros);
  }
  for (const [cause, micros] of takenBack(entries, provider)) causes.set(cause, micros);
  // What was given back of a charge that is not taken then is reversed as a whole.
  for (const { paymentId, type, id } of provider.eventsOf(owner.organizationId)) {
    const isRefused =
      type === 'other_currency' || (type === 'paid' && (provider.unfit.has(id) || provider.isTwice(paymentId)));
    if (!isRefused || !provider.told.has(id)) continue;
    const ofPayment = entries.filter(({ payment_id }) => payment_id === paymentId);
    for (const { cause, charge_id } of ofPayment.filter((entry) => entry.cause.startsWith('unpaid:'))) {
      const given = ofPayment.filter((entry) => entry.charge_id === charge_id && entry.cause !== cause);
      causes.set(cause, -given.reduce((sum, { amount_micros }) => sum + amount_micros, 0));
    }
  }
  return causes;
}
