// Errors of a form by field: from the schema before sending, or from the server.
import * as v from 'valibot';
import type { Failure } from '../failure.ts';
import type { FormErrors, FormValues } from './types.ts';

/** The schema's first error of each field. */
export function findErrors<Values extends FormValues, Output>(
  schema: v.GenericSchema<Values, Output>,
  values: Values,
): FormErrors<Values> {
  const parsed = v.safeParse(schema, values, { abortPipeEarly: true });
  const errors: FormErrors<Values> = {};
  if (!parsed.success) for (const issue of parsed.issues) note(errors, values, v.getDotPath(issue), issue.message);
  return errors;
}

/** The server's errors by field: the location `body.contact_email` belongs to `contact_email`. */
export function serverErrors<Values extends FormValues>(failure: Failure, values: Values): FormErrors<Values> {
  const errors: FormErrors<Values> = {};
  for (const problem of failure.problems ?? [])
    note(errors, values, problem.location.split('.').at(-1) ?? null, problem.message);
  return errors;
}

/** Whether a refusal is about this field only, so that its text can be shown there. */
export const isAbout = ({ problems = [] }: Failure, field: string): boolean =>
  problems.length > 0 && problems.every(({ location }) => location.split('.').at(-1) === field);

function note<Values extends FormValues>(
  errors: FormErrors<Values>,
  values: Values,
  name: string | null,
  message: string,
): void {
  const field = Object.keys(values).find((key): key is keyof Values & string => key === name);
  if (field !== undefined) errors[field] ??= message;
}
