/** Runs of random steps, and what seldom comes by itself. */
import fc from 'fast-check';
import type { Behaviour } from './charges.ts';
import {
  admissions,
  always,
  audioMs,
  drop,
  oneOf,
  SILENT_MINUTES,
  step,
  together,
  values,
  type Step,
  type Stride,
} from './steps.ts';

/** It ends before it is done so often, of how many times. */
const crashes = (often: number, of: number): fc.Arbitrary<number | null> =>
  fc.oneof({ weight: of - often, arbitrary: fc.constant(null) }, { weight: often, arbitrary: fc.nat({ max: 24 }) });

/** One step. */
const one = (arbitrary: fc.Arbitrary<Step>): fc.Arbitrary<Step[]> => arbitrary.map((drawn) => [drawn]);

const of = always(0);
const last = always(-1);
const takes = one(
  fc.record({
    do: always('work'),
    behaviour: always('takes'),
    waits: values('until one is due', 'for 70 minutes'),
  }),
);
const works = (...behaviours: Behaviour[]): fc.Arbitrary<Step[]> =>
  one(fc.record({ do: always('work'), behaviour: values(...behaviours), waits: always('no') }));
const heard = one(fc.record({ do: always('deliver'), which: last }));
const card = one(fc.record({ do: always('set up'), of, card: values('4242', '1881') }));
const paid = [
  one(fc.record({ do: always('pay'), of, cents: values(1000, 3000) })),
  one(fc.record({ do: always('page'), which: last, ends: always('paid') })),
];
const below = (thresholdCents: number): fc.Arbitrary<Step[]> =>
  one(
    fc.record({
      do: always('settings'),
      of,
      enabled: always(true),
      thresholdCents: always(thresholdCents),
      amountCents: always(2000),
    }),
  );
const autopay = [card, below(2000)];
const reset = one(fc.record({ do: always('reset'), of }));
/** Something is to be charged at once, whatever was before. */
const low = [reset, card, below(20_000)];
const used = one(
  fc.record({ do: always('request'), of, project: values(0, 1), audioMs: audioMs(30), lateMinutes: always(0) }),
);
const begun = fc.array(fc.oneof(...admissions.map(({ arbitrary }) => arbitrary)), { minLength: 2, maxLength: 4 });

const live = (does: 'listen' | 'hear' | 'hang up' | 'come back'): fc.Arbitrary<Step[]> =>
  one(
    does === 'listen'
      ? fc.record({ do: always(does), of, project: values(0, 1) })
      : fc.record({ do: always(does), of, which: values(0, 1), ms: audioMs(3) }),
  );

/** What ends without a word. */
const silent = [
  ...low,
  works(
    ...(['takes, and the answer is lost', 'takes', 'fails later', 'declines, and the answer is lost'] as const),
    ...(['takes another amount', 'is out of reach'] as const),
  ),
  one(fc.record({ do: always('wait'), minutes: always(SILENT_MINUTES) })),
  one(fc.record({ do: always('reconcile'), behaviour: always('is out of reach') })),
];

/** Steps that follow each other: each leads where those that are drawn one by one hardly get. */
const BOUTS: fc.Arbitrary<Step[]>[][] = [
  // There is money for more sound than may be used.
  [
    one(fc.record({ do: always('correct'), of, micros: always(60_000_000) })),
    one(fc.record({ do: always('minutes'), of, project: values(null, 0), minutes: values(120, 600, 1500) })),
    ...[begun, begun, begun],
  ],
  // Processes of live sessions are silent, and some come back.
  [
    one(fc.record({ do: always('correct'), of, micros: always(60_000_000) })),
    ...[live('listen'), live('listen'), live('hear'), live('hear')],
    one(fc.record({ do: always('take for dead'), minutes: always(1) })),
    ...[live('hear'), live('come back'), live('listen'), live('hang up')],
  ],
  // Projects go with what is at work in them, while processes of their live sessions are silent, or not.
  [
    one(fc.record({ do: always('correct'), of, micros: always(60_000_000) })),
    ...[begun, live('listen'), live('listen'), live('hear'), live('hear')],
    one(fc.record({ do: always('take for dead'), minutes: values(0, 1, 1) })),
    ...[one(drop.arbitrary), live('come back'), live('hear'), live('come back'), live('hang up')],
  ],
  // Prices change while something is at work, and maybe nothing has one for a while.
  [
    one(fc.record({ do: always('correct'), of, micros: always(60_000_000) })),
    begun,
    ...[0, 333_333, 2_000_000].flatMap((perHour) => [
      one(fc.record({ do: always('start'), perHour: values(perHour, 1_000_001) })),
      begun,
    ]),
  ],
  // What is given back would be charged again, by the same card or another.
  [
    ...[...autopay, ...paid, heard, used],
    one(
      fc.record({
        do: always('refund'),
        which: last,
        percent: values(60, 100),
        fails: oneOf(5),
        isForeign: always(false),
      }),
    ),
    ...[heard, takes, card, takes],
  ],
  // The same above the threshold, where a request wants more, by a try that waits.
  [
    ...[...autopay, ...paid, heard],
    one(fc.record({ do: always('want'), of, cents: always(6000) })),
    one(fc.record({ do: always('work'), behaviour: always('declines'), waits: always('no') })),
    one(
      fc.record({ do: always('refund'), which: last, percent: always(60), fails: oneOf(5), isForeign: always(false) }),
    ),
    ...[heard, takes, takes],
  ],
  [
    ...[...autopay, ...paid, heard],
    one(
      fc.record({
        ...{
          do: always('dispute'),
          which: last,
          percent: values(60, 100),
          asks: fc.boolean(),
          ends: values('lost', 'won'),
        },
        ...{ fee: values('none', 'kept'), isForeign: always(false), isOld: always(false) },
      }),
    ),
    ...[heard, used, takes, card, takes],
  ],
  // Nobody tells of a charge for 30 days; then somebody does, or resets it.
  [...silent, card, used, heard, takes, heard, takes],
  [...silent, used, takes, reset, takes, heard, heard, takes],
  // The server's clock is hours ahead, and right again, while charges are made and tried again.
  [
    one(fc.record({ do: always('clock'), minutes: values(40, 240, 480), strides: values(2, 4, 5, 6, 8) })),
    ...low,
    works('takes, and the answer is lost', 'declines', 'takes no such charge'),
    one(fc.record({ do: always('wait'), minutes: values(1, 70, 1500) })),
    ...[takes, takes, heard, used, takes],
  ],
  // Of tests some has been told, and some not yet.
  [...paid, heard, ...paid, used, one(fc.record({ do: always('live') })), heard, heard, card, takes],
];

const stride: fc.Arbitrary<Stride> = fc.record({
  steps: fc.oneof({ weight: 5, arbitrary: step.map((only) => [only]) }, { weight: 1, arbitrary: together }),
  crashAfter: crashes(2, 5),
});
const bouts = BOUTS.map((steps) =>
  fc.tuple(...steps.map((some) => fc.record({ steps: some, crashAfter: crashes(1, 12) }))),
);

/** A run of so many strides: of those by themselves two of five end before they are done, and one of six is several things at once. */
export const strides = (length: number): fc.Arbitrary<Stride[]> =>
  fc
    .array(fc.oneof({ weight: 40, arbitrary: stride.map((only) => [only]) }, ...bouts), {
      ...{ minLength: length, maxLength: length, size: 'max' },
    })
    .map((all) => all.flat().slice(0, length));
