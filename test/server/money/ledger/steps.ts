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
/** One of some values. */
const of = <const T>(...values: T[]) => fc.constantFrom(...values);
/** How often, of how many, it is true. */
const oneOf = (times: number) => fc.integer({ min: 1, max: times }).map((one) => one === 1);
/** How often a step is drawn, and what it is. */
const drawn = <const T extends object>(weight: number, fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => ({
  weight,
  arbitrary: fc.record<T>(fields),
});
const always = <const T>(value: T) => fc.constant(value);

const step: fc.Arbitrary<Step> = fc.oneof(
  drawn(8, {
    do: always('request'),
    audioMs: fc.integer({ min: 0, max: 20 * hourMs }),
    lateMinutes: of(0, 0, 0, 1, 90, 3000),
  }),
  drawn(8, {
    do: always('work'),
    behaviour: of(...BEHAVIOURS),
    waits: of<Wait>('no', 'no', 'until one is due', 'for 70 minutes', 'for 25 hours'),
  }),
  drawn(5, { do: always('deliver'), which }),
  drawn(3, { do: always('reconcile'), behaviour: of(...BEHAVIOURS) }),
  drawn(2, { do: of('deliver again', 'lose', 'write again', 'expire'), which }),
  drawn(4, { do: always('wait'), minutes: of(1, 30, 70, 70, 600, 1500, 4500) }),
  drawn(2, { do: of('post', 'reset') }),
  drawn(1, { do: of('remove', 'set up', 'set up') }),
  drawn(1, { do: always('put right'), which, audioMs: fc.integer({ min: 0, max: 20 * hourMs }) }),
  drawn(1, { do: always('reprice'), perHour: of(0, 100_000, 333_333, 1_000_001) }),
  drawn(2, { do: always('pay'), cents: fc.integer({ min: 500, max: 5000 }) }),
  drawn(2, {
    do: always('page'),
    which,
    ends: of('paid', 'paid', 'declined', 'failing', 'in another currency', 'of another amount'),
  }),
  // More than was paid does not fit.
  drawn(1, {
    do: always('refund'),
    which,
    percent: of(10, 10, 100, 100, 150),
    fails: fc.boolean(),
    isForeign: oneOf(6),
  }),
  // Most worlds go on to their end before.
  drawn(1, { do: always('delete'), isMeant: oneOf(8) }),
  drawn(1, { do: always('dispute'), which, isWon: fc.boolean() }),
  drawn(2, {
    do: always('settings'),
    enabled: of(true, true, false),
    thresholdCents: of(0, 500, 2000),
    amountCents: of(500, 2000),
  }),
  drawn(1, {
    do: always('correct'),
    micros: fc.integer({ min: -3_000_000, max: 3_000_000 }).filter((micros) => micros !== 0),
  }),
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
