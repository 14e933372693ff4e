// The forms of limits: one sets a place's own limit, the other asks the operator for more than can be set.
import * as v from 'valibot';
import { LimitIncreaseRequest, type LimitName } from '#contract/limits.ts';
import type { Failure } from '../../shared/failure.ts';
import { createForm } from '../../shared/form/machine.ts';
import { requestIncrease, saveLimit, type LimitSubject } from './actors.ts';
import { fromTyped, hasFractions } from './amounts.ts';

const TOO_HIGH = 'limit_too_high';

const helpFor = (limit: LimitName): string =>
  hasFractions(limit) ? 'Enter a number such as 10 or 2.5.' : 'Enter a whole number.';

const amountOf = (limit: LimitName) =>
  v.pipe(
    v.string(),
    v.trim(),
    v.check((typed) => fromTyped(limit, typed) !== null, helpFor(limit)),
    v.transform((typed) => fromTyped(limit, typed) ?? 0),
  );

const isWithin = (value: number | null, maximum: string): boolean =>
  value === null || maximum === '' || value <= Number(maximum);

/** An empty value removes the place's own limit, so that the one above holds. */
const limitSchema = ({ limit, maximum }: LimitSubject) =>
  v.object({
    value: v.pipe(
      v.string(),
      v.trim(),
      v.check((typed) => typed === '' || fromTyped(limit, typed) !== null, helpFor(limit)),
      v.transform((typed) => (typed === '' ? null : fromTyped(limit, typed))),
      v.check((value) => isWithin(value, maximum), 'This is more than can be set here.'),
    ),
  });

const increaseSchema = ({ limit, maximum }: LimitSubject) =>
  v.object({
    value: v.pipe(
      amountOf(limit),
      v.check((value) => value > Number(maximum), 'You can set this much yourself. Enter a higher number.'),
    ),
    reason: LimitIncreaseRequest.entries.reason,
  });

/** Sets one limit. The field shows the server's refusal of a value that is too high. */
export const limitForm = createForm({
  id: 'limitForm',
  schema: limitSchema,
  initial: { value: '' },
  submit: saveLimit,
  dismissible: true,
  blames: ({ errorType }: Failure) => (errorType === TOO_HIGH ? 'value' : null),
});

/** Asks the operator for a higher limit, with a reason. */
export const increaseForm = createForm({
  id: 'increaseForm',
  schema: increaseSchema,
  initial: { value: '', reason: '' },
  submit: requestIncrease,
  dismissible: true,
  asksFirst: true,
});
