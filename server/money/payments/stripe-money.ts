/** Conversions between Stripe's values and ours. */
import type Stripe from 'stripe';
import * as v from 'valibot';
import { MICROS_PER_CENT } from '#contract/billing.ts';
import { Uuid } from '#contract/fields.ts';
import type { MoneyEvent, MoneyMoved } from './port.ts';

/** Milliseconds of a second: Stripe's times are in seconds. */
export const MS_PER_S = 1000;
export const toCents = (micros: number): number => Math.round(micros / MICROS_PER_CENT);
export const toMicros = (cents: number): number => cents * MICROS_PER_CENT;
export const idOf = (thing: string | { id: string } | null | undefined): string | undefined =>
  typeof thing === 'string' ? thing : thing?.id;
/** Our payment's id in Stripe's metadata; undefined for payments of other systems with the same Stripe account. */
export const paymentOf = (metadata: Stripe.Metadata | null | undefined): string | undefined => {
  const { success, output } = v.safeParse(Uuid, metadata?.['payment_id']);
  return success ? output : undefined;
};

type Moved<M = MoneyMoved> = M extends MoneyMoved ? Omit<M, 'amountMicros'> : never;

/** Makes an event of moved money from an amount in its currency's smallest unit: `other_currency` if not dollars. */
export function inUsd(
  id: string,
  { amount, currency }: { amount: number; currency: string },
  moved: Moved,
  reference: string,
): MoneyEvent {
  if (currency === 'usd') return { id, ...moved, amountMicros: toMicros(amount) };
  const { type: of, paymentId } = moved;
  const charge = 'charge' in moved ? moved.charge : undefined;
  const other = {
    of,
    paymentId,
    reference,
    amount: `${amount} ${currency} (smallest units)`,
    ...(charge && { charge }),
  };
  return { id, type: 'other_currency', ...other };
}
