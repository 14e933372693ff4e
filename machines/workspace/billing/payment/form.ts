import * as v from 'valibot';
import { fromPromise } from 'xstate';
import { createForm } from '../../../shared/form/machine.ts';
import type { Submitted } from '../../../shared/form/types.ts';
import { PaidText } from '../amount.ts';

/** How much is paid into the balance, micro-USD. Nothing is sent: what was typed is looked at once more before. */
export const amountForm = createForm({
  id: 'amountForm',
  schema: v.object({ amount: PaidText }),
  initial: { amount: '' },
  submit: fromPromise<number, Submitted<{ amount: number }, {}>>(({ input }) => Promise.resolve(input.values.amount)),
  dismissible: true,
  discardedWith: null,
});
