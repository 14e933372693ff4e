import fc from 'fast-check';
import { BEHAVIOURS, type Behaviour, type Unfit } from './provider.ts';

/** How long it is until a worker looks for jobs. */
export type Wait = 'no' | 'until one is due' | 'for 70 minutes' | 'for 25 hours';

/** One thing that happens. Numbers named `which` choose among what there is by then. */
export type Step =
  | { do: 'request'; audioMs: number; lateMinutes: number }
  | { do: 'write again' | 'deliver' | 'deliver again' | 'lose' | 'expire'; which: number }
  | { do: 'put right'; which: number; audioMs: number }
  | { do: 'reprice'; perHour: number }
  | { do: 'pay'; cents: number }
  | { do: 'page'; which: number; ends: 'paid' | 'declined' | 'failing' | Unfit }
  | { do: 'work'; behaviour: Behaviour; waits: Wait }
  | { do: 'reconcile'; behaviour: Behaviour }
  | { do: 'wait'; minutes: number }
  | { do: 'post' | 'reset' | 'remove' | 'set up' }
  | { do: 'delete'; isMeant: boolean }
  | { do: 'refund'; which: number; percent: number; fails: boolean; isForeign: boolean }
  | { do: 'dispute'; which: number; isWon: boolean }
  | { do: 'settings'; enabled: boolean; thresholdCents: number; amountCents: number }
  | { do: 'correct'; micros: number };

/** A step, and before which of its statements the process ends; null: before none. Those that are together run at once. */
export interface Stride {
  steps: Step[];
  crashAfter: number | null;
}

/** One of what there is. */
export const pick = <T>(from: readonly T[], which: number): T | undefined => from[which % Math.max(1, from.length)];

const which = fc.nat({ max: 10_000 });
const hourMs = 3_600_000;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('request' as const),
      audioMs: fc.integer({ min: 0, max: 20 * hourMs }),
      lateMinutes: fc.constantFrom(0, 0, 0, 1, 90, 3000),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('work' as const),
      behaviour: fc.constantFrom(...BEHAVIOURS),
      waits: fc.constantFrom<Wait>('no', 'no', 'until one is due', 'for 70 minutes', 'for 25 hours'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('deliver' as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('reconcile' as const), behaviour: fc.constantFrom(...BEHAVIOURS) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('deliver again' as const, 'lose' as const, 'write again' as const, 'expire' as const),
      which,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      minutes: fc.constantFrom(1, 30, 70, 70, 600, 1500, 4500),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('post' as const, 'reset' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('remove' as const, 'set up' as const, 'set up' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('put right' as const),
      which,
      audioMs: fc.integer({ min: 0, max: 20 * hourMs }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('reprice' as const),
      perHour: fc.constantFrom(0, 100_000, 333_333, 1_000_001),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pay' as const), cents: fc.integer({ min: 500, max: 5000 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('page' as const),
      which,
      ends: fc.constantFrom(
        'paid' as const,
        'paid' as const,
        'declined' as const,
        'failing' as const,
        'in another currency' as const,
        'of another amount' as const,
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      which,
      // More than was paid does not fit.
      percent: fc.constantFrom(10, 10, 100, 100, 150),
      fails: fc.boolean(),
      isForeign: fc.integer({ min: 1, max: 6 }).map((one) => one === 1),
    }),
  },
  // Most worlds go on to their end before.
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('delete' as const),
      isMeant: fc.integer({ min: 1, max: 8 }).map((one) => one === 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('dispute' as const), which, isWon: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('settings' as const),
      enabled: fc.constantFrom(true, true, false),
      thresholdCents: fc.constantFrom(0, 500, 2000),
      amountCents: fc.constantFrom(500, 2000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('correct' as const),
      micros: fc.integer({ min: -3_000_000, max: 3_000_000 }).filter((micros) => micros !== 0),
    }),
  },
);

/** A run of so many strides; two of five end before they are done, and one of eight is several things at once. */
export const strides = (length: number): fc.Arbitrary<Stride[]> =>
  fc.array(
    fc.record({
      steps: fc.oneof(
        { weight: 7, arbitrary: step.map((one) => [one]) },
        { weight: 1, arbitrary: fc.array(step, { minLength: 2, maxLength: 3 }) },
      ),
      crashAfter: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 2, arbitrary: fc.nat({ max: 24 }) }),
    }),
    { minLength: length, maxLength: length, size: 'max' },
  );
