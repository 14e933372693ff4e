/** Walks on which a payment is disputed while a charge is on its way: too rare to be met by chance on each run. */
import type { Step, Stride } from './steps.ts';

/** A payment of five dollars by hand that is told of, and a charge, of which the provider makes what it is said to. */
const charge = (behaviour: (Step & { do: 'work' })['behaviour']): Step[] => [
  { do: 'pay', cents: 500 },
  { do: 'page', which: 0, ends: 'paid' },
  { do: 'deliver', which: 0 },
  { do: 'request', audioMs: 11 * 3_600_000, lateMinutes: 0 },
  { do: 'work', behaviour, waits: 'no' },
];
/** The payment is disputed, which is told of as the one of what is not told of yet that `which` names. */
const dispute = (which: number): Step[] => [
  { do: 'dispute', which: 0, isWon: false },
  { do: 'deliver', which },
];
const walk = (...steps: Step[]): Stride[] => steps.map((step) => ({ steps: [step], crashAfter: null }));
const later: Step[] = [
  { do: 'request', audioMs: 20 * 3_600_000, lateMinutes: 0 },
  { do: 'work', behaviour: 'takes', waits: 'for 70 minutes' },
];

/** The charge fails; is paid; never reaches the provider. */
export const disputes: readonly Stride[][] = [
  walk(...charge('fails later'), ...dispute(2), { do: 'deliver', which: 1 }, ...later),
  walk(...charge('takes'), ...dispute(3), { do: 'deliver', which: 1 }, ...later),
  walk(
    ...charge('is out of reach'),
    ...dispute(1),
    { do: 'work', behaviour: 'takes', waits: 'until one is due' },
    { do: 'work', behaviour: 'takes', waits: 'for 70 minutes' },
    ...later,
  ),
];
