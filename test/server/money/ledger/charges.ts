/** What the provider may do with charges, and what it has of them. */
import type { ChargeResult } from '#server/money/payments/port.ts';

/** What the provider does with the next charge, and with whoever asks for it. */
export const BEHAVIOURS = [
  'takes',
  'takes',
  'declines',
  'fails later',
  'is out of reach',
  'takes, and the answer is lost',
  'takes, and the answer is lost',
  'declines, and the answer is lost',
  'is broken',
  'takes no such charge',
  'takes, and says that it does not',
  'is not reached by a process that ends',
  'takes from a process that ends',
  'takes another currency',
  'takes another amount',
] as const;
export type Behaviour = (typeof BEHAVIOURS)[number] | 'is not reached';

/** Money that is not what was asked for. */
export type Unfit = 'in another currency' | 'of another amount';

/** A charge as the provider has it. */
export interface Intent {
  paymentId: string;
  providerId: string;
  key: string;
  at: number;
  amountMicros: number;
  /** What has come of it, micro-USD. */
  receivedMicros: number;
  state: 'paid' | 'declined' | 'failing' | Unfit;
  refundedMicros: number;
  disputes: number;
}

export const STATES: Partial<Record<Behaviour, Intent['state']>> = {
  declines: 'declined',
  'declines, and the answer is lost': 'declined',
  'fails later': 'failing',
  'takes another currency': 'in another currency',
  'takes another amount': 'of another amount',
};

/** By which name the provider knows an organization. */
export const customerOf = (organizationId: string): string => `customer-${organizationId}`;

/** The same where payments are real: it knows none of those of tests. */
const LIVE = 'live-';
export const liveCustomerOf = (organizationId: string): string => LIVE + customerOf(organizationId);
export const isLiveCustomer = (customer: string): boolean => customer.startsWith(LIVE);
export const plainCustomer = (customer = ''): string => customer.replace(LIVE, '');

export const answerOf = ({ state, providerId }: Intent): Promise<ChargeResult> =>
  Promise.resolve(
    state === 'declined' ? { outcome: 'declined', message: 'The card was declined.' } : { outcome: 'sent', providerId },
  );
