import * as v from 'valibot';
import { createForm } from '../../../shared/form/machine.ts';
import type { FormSchema } from '../../../shared/form/types.ts';
import { deletePlace, saveDetails, type DeletionAbout, type PlaceFields } from './actors.ts';

export type What = 'organization' | 'project';

export const createDetailsForm = (what: What, schema: FormSchema<PlaceFields, PlaceFields>, initial: PlaceFields) =>
  createForm({
    id: `${what}DetailsForm`,
    schema,
    initial,
    submit: saveDetails,
    keeps: Object.keys(initial),
  });

/** Refusals because the balance differs from the one shown. */
const BALANCE_CHANGED = ['balance_positive', 'balance_negative'];

/** Asks for the name of the place before the deletion. */
export const createDeletionForm = (what: What) =>
  createForm({
    id: `${what}DeletionForm`,
    schema: ({ name }: DeletionAbout) =>
      v.object({
        typed: v.pipe(
          v.string(),
          v.trim(),
          v.check((typed) => typed === name.trim(), `Type the name of the ${what} exactly as it is.`),
        ),
      }),
    initial: { typed: '' },
    submit: deletePlace,
    dismissible: true,
    discardedWith: null,
    endsOn: ({ errorType }) => BALANCE_CHANGED.includes(errorType ?? ''),
  });
