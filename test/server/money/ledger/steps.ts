import fc from 'fast-check';
import { BEHAVIOURS, type Behaviour, type Unfit } from './charges.ts';

/** The last digits of a payment method. */
export type Card = '4242' | '1881';

/** How long it is until a worker looks for jobs. */
export type Wait = 'no' | 'until one is due' | 'for 70 minutes' | 'for 25 hours';

/** What somebody does in one of the two organizations. Numbers named `which` choose among what there is by then. */
export type OwnStep = { of: 0 | 1 } & (
  | { do: 'request'; project: 0 | 1; audioMs: number; lateMinutes: number }
  | { do: 'write again'; which: number }
  | { do: 'put right'; which: number; audioMs: number }
  | { do: 'begin'; project: 0 | 1; leastMs: number; mostMs: number }
  | { do: 'grow'; which: number; leastMs: number; mostMs: number }
  | { do: 'finish'; which: number; percent: number; isCancelled: boolean }
  | { do: 'listen'; project: 0 | 1 }
  | { do: 'hear' | 'hang up' | 'come back'; which: number; ms: number }
  | { do: 'drop'; project: 0 | 1 }
  | { do: 'budget'; project: 0 | 1 | null; cents: number | null }
  | { do: 'minutes'; project: 0 | 1 | null; minutes: number | null }
  | { do: 'want' | 'pay'; cents: number }
  | { do: 'reset' | 'remove' }
  | { do: 'set up'; card: Card }
  | { do: 'found'; isGone: boolean }
  | { do: 'delete'; isMeant: boolean }
  | { do: 'settings'; enabled: boolean; thresholdCents: number; amountCents: number }
  | { do: 'correct'; micros: number }
);

/** What workers, the provider, people at the provider and banks do. */
type OuterStep =
  | { do: 'deliver' | 'deliver again' | 'lose' | 'expire' | 'second'; which: number }
  | { do: 'page'; which: number; ends: 'paid' | 'declined' | 'failing' | Unfit }
  | { do: 'work'; behaviour: Behaviour; waits: Wait }
  | { do: 'reconcile'; behaviour: Behaviour }
  | { do: 'wait' | 'take for dead'; minutes: number }
  | { do: 'clock'; minutes: number; strides: number }
  | { do: 'post' | 'live' }
  | { do: 'start'; perHour: number }
  | { do: 'refund'; which: number; percent: number; fails: boolean; isForeign: boolean }
  | Dispute;

interface Dispute {
  do: 'dispute';
  which: number;
  percent: number;
  /** Whether the bank asks before. */
  asks: boolean;
  ends: 'lost' | 'won' | 'won in part' | 'dropped';
  fee: 'none' | 'kept' | 'returned';
  isForeign: boolean;
  /** As versions before have told of it: without the payment's name at the provider, nor what was taken. */
  isOld: boolean;
}

/** One thing that happens. */
export type Step = OwnStep | OuterStep;

/** A step, and before which of its statements the process ends; null: before none. Those that are together run at once. */
export interface Stride {
  steps: Step[];
  crashAfter: number | null;
}

/** One of what there is; the last of it where `which` is -1. */
export const pick = <T>(from: readonly T[], which: number): T | undefined =>
  which < 0 ? from.at(which) : from[which % Math.max(1, from.length)];

const which = fc.nat({ max: 10_000 });
const hourMs = 3_600_000;
export const audioMs = (hours: number) => fc.integer({ min: 0, max: hours * hourMs });
/** One of some values. */
export const values = <const T>(...some: T[]) => fc.constantFrom(...some);
/** How often, of how many, it is true. */
export const oneOf = (times: number) => fc.integer({ min: 1, max: times }).map((one) => one === 1);
/** How often a step is drawn, and what it is. */
const drawn = <const T extends object>(weight: number, fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => ({
  weight,
  arbitrary: fc.record<T>(fields),
});
export const always = <const T>(value: T) => fc.constant(value);

/** Mostly the first organization. */
const of = values(0, 0, 0, 1);
const project = values(0, 0, 1);
const settings = drawn(2, {
  do: always('settings'),
  of,
  enabled: values(true, true, false),
  thresholdCents: values(0, 500, 2000),
  amountCents: values(500, 2000),
});

/** Of what is begun, and reserved for. */
export const admissions = [
  drawn(3, { do: always('begin'), of, project, leastMs: audioMs(4), mostMs: audioMs(12) }),
  drawn(1, { do: always('grow'), of, which, leastMs: audioMs(4), mostMs: audioMs(20) }),
  drawn(2, { do: always('finish'), of, which, percent: values(100, 100, 40, 0), isCancelled: oneOf(5) }),
  drawn(1, { do: always('listen'), of, project }),
  drawn(1, { do: values('hear', 'hear', 'hang up'), of, which, ms: audioMs(3) }),
];

/** Of a project that goes. */
export const drop = drawn(1, { do: always('drop'), of, project });

/** More than the 30 days after which a charge ends without a word. */
export const SILENT_MINUTES = 44_000;
/** Seldom so long: others are to meet as well. */
const minutes = fc.oneof(
  { weight: 14, arbitrary: values(1, 30, 70, 70, 600, 1500, 4500) },
  { weight: 1, arbitrary: always(SILENT_MINUTES) },
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  drawn(8, {
    do: always('request'),
    of,
    project,
    audioMs: audioMs(20),
    lateMinutes: values(0, 0, 0, 1, 90, 3000),
  }),
  ...admissions,
  drop,
  drawn(1, { do: always('budget'), of, project: values(null, null, 0, 1), cents: values(null, 100, 1500, 4000) }),
  drawn(1, { do: always('minutes'), of, project: values(null, null, 0, 1), minutes: values(null, 120, 900, 2400) }),
  drawn(9, {
    do: always('work'),
    behaviour: values(...BEHAVIOURS),
    waits: values<Wait>('no', 'no', 'until one is due', 'for 70 minutes', 'for 25 hours'),
  }),
  drawn(6, { do: always('deliver'), which }),
  drawn(3, { do: always('reconcile'), behaviour: values(...BEHAVIOURS) }),
  drawn(2, { do: values('deliver again', 'lose', 'expire'), which }),
  drawn(1, { do: always('write again'), of, which }),
  drawn(4, { do: always('wait'), minutes }),
  drawn(1, { do: always('clock'), minutes: values(40, 240, 480), strides: fc.nat({ max: 5 }) }),
  drawn(1, { do: always('take for dead'), minutes: values(0, 1) }),
  drawn(1, { do: always('come back'), of, which, ms: audioMs(3) }),
  drawn(1, { do: always('post') }),
  drawn(1, { do: values('reset', 'reset', 'remove'), of }),
  drawn(1, { do: always('set up'), of, card: values('4242', '4242', '1881') }),
  drawn(1, { do: always('found'), of, isGone: fc.boolean() }),
  drawn(1, { do: always('put right'), of, which, audioMs: audioMs(20) }),
  drawn(2, { do: always('start'), perHour: values(0, 100_000, 333_333, 1_000_001, 1_000_001, 2_000_000) }),
  drawn(2, { do: always('pay'), of, cents: fc.integer({ min: 500, max: 5000 }) }),
  drawn(1, { do: always('want'), of, cents: values(100, 3000, 6000) }),
  drawn(2, {
    do: always('page'),
    which,
    ends: values('paid', 'paid', 'declined', 'failing', 'in another currency', 'of another amount'),
  }),
  // More than was paid does not fit.
  drawn(2, {
    do: always('refund'),
    which,
    percent: values(10, 60, 60, 100, 150),
    fails: fc.boolean(),
    isForeign: oneOf(6),
  }),
  drawn(2, {
    do: always('dispute'),
    which,
    percent: values(30, 60, 100, 100, 150),
    asks: fc.boolean(),
    ends: values('lost', 'won', 'won in part', 'dropped'),
    fee: values('none', 'kept', 'returned'),
    isForeign: oneOf(6),
    isOld: oneOf(4),
  }),
  drawn(1, { do: always('second'), which }),
  // Most worlds go on to their end before.
  drawn(1, { do: always('delete'), of, isMeant: oneOf(8) }),
  settings,
  drawn(1, {
    do: always('correct'),
    of,
    micros: fc.integer({ min: -3_000_000, max: 3_000_000 }).filter((micros) => micros !== 0),
  }),
);

/** What runs at once: anything, what is admitted, or settings while the payment method goes. */
export const together: fc.Arbitrary<Step[]> = fc.oneof(
  { weight: 4, arbitrary: fc.array(step, { minLength: 2, maxLength: 3 }) },
  { weight: 3, arbitrary: fc.array(fc.oneof(...admissions, drop), { minLength: 2, maxLength: 3 }) },
  { weight: 1, arbitrary: settings.arbitrary.map((one): Step[] => [one, { do: 'remove', of: one.of }]) },
);
