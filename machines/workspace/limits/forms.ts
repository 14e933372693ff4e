// What limits are changed by: a value of one's own, and a wish for more than can be set.
import * as v from 'valibot';
import { LimitIncreaseRequest, type LimitName } from '#contract/limits.ts';
import type { Failure } from '../../shared/failure.ts';
import { createForm } from '../../shared/form/machine.ts';
import { requestIncrease, saveLimit, type LimitAbout } from './actors.ts';
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

/** Nothing typed takes the limit of one's own away, so that what is above holds. */
const limitSchema = ({ limit, maximum }: LimitAbout) =>
  v.object({
    value: v.pipe(
      v.string(),
      v.trim(),
      v.check((typed) => typed === '' || fromTyped(limit, typed) !== null, helpFor(limit)),
      v.transform((typed) => (typed === '' ? null : fromTyped(limit, typed))),
      v.check((value) => isWithin(value, maximum), 'This is more than can be set here.'),
    ),
  });

const increaseSchema = ({ limit, maximum }: LimitAbout) =>
  v.object({
    value: v.pipe(
      amountOf(limit),
      v.check((value) => value > Number(maximum), 'This can be set without a request.'),
    ),
    reason: LimitIncreaseRequest.entries.reason,
  });

/** One limit. What the server finds too high is told at the field. */
export const limitForm = createForm({
  id: 'limitForm',
  schema: limitSchema,
  initial: { value: '' },
  submit: saveLimit,
  dismissible: true,
  blames: ({ errorType }: Failure) => (errorType === TOO_HIGH ? 'value' : null),
});

/** What an organization wants to have, and what for. */
export const increaseForm = createForm({
  id: 'increaseForm',
  schema: increaseSchema,
  initial: { value: '', reason: '' },
  submit: requestIncrease,
  dismissible: true,
  asksFirst: true,
});
