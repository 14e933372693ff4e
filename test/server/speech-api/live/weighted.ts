import fc from 'fast-check';

/** One of these, the likelier the greater its weight. */
export const weighted = <T>(...all: [weight: number, arbitrary: fc.Arbitrary<T>][]): fc.Arbitrary<T> =>
  fc.oneof(...all.map(([weight, arbitrary]) => ({ weight, arbitrary })));
