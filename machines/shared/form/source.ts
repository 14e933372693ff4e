// Updates a form when somebody else changes the values that it began with (CON-30).
import type { FormContext, FormValues } from './types.ts';

type Followed<Values extends FormValues> = Pick<
  FormContext<Values, unknown, unknown, {}>,
  'initial' | 'values' | 'changedElsewhere' | 'errors'
>;

/**
 * Unchanged fields take the new value, so that submitting does not undo somebody else's change. Changed fields keep
 * what was typed, and the new value goes into `changedElsewhere`.
 */
export function follow<Values extends FormValues>(form: Followed<Values>, source: Partial<Values>): Followed<Values> {
  const next: Required<Followed<Values>> = {
    initial: { ...form.initial, ...source },
    values: { ...form.values },
    changedElsewhere: { ...form.changedElsewhere },
    errors: { ...form.errors },
  };
  for (const field of Object.keys(source) as (keyof Values & string)[]) {
    const value = next.initial[field];
    if (form.values[field] === form.initial[field]) {
      next.values[field] = value;
      delete next.errors[field];
    } else if (form.values[field] === value) delete next.changedElsewhere[field];
    else if (value !== form.initial[field]) next.changedElsewhere[field] = value;
  }
  return next;
}

/** `fields` without `field`. */
export function without<Fields extends object>(fields: Fields, field: keyof Fields): Fields {
  const { [field]: _left, ...others } = fields;
  return others as Fields;
}
