import * as v from 'valibot';
import { fromPromise } from 'xstate';
import { createForm } from '../../../shared/form/machine.ts';
import type { Submitted } from '../../../shared/form/types.ts';
import { PaidText } from '../amount.ts';

/** The amount to pay into the balance, micro-USD. It sends nothing, because a confirmation follows. */
export const amountForm = createForm({
  id: 'amountForm',
  schema: v.object({ amount: PaidText }),
  initial: { amount: '' },
  submit: fromPromise<number, Submitted<{ amount: number }, {}>>(({ input }) => Promise.resolve(input.values.amount)),
  dismissible: true,
  discardedWith: null,
});
