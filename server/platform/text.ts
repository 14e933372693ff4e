import type { ValidationError } from '#contract/errors.ts';
import { invalidRequest } from './refusal.ts';

export const NUL = 'Must not contain the character U+0000.';

/** Why the database cannot store a text (U+0000, lone surrogates), in words; undefined if it can. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return NUL;
  return /\p{Surrogate}/u.test(text) ? 'Must be well-formed Unicode text.' : undefined;
}

export const refused = (location: string, message: string): ValidationError => ({
  error_type: 'invalid_text',
  location,
  message,
});

/** The first problem with a text in a JSON value, names of fields included; undefined if there is none. */
export function jsonProblem(value: unknown, at: string): ValidationError | undefined {
  // Without recursion, because a body can be nested deeper than the stack allows.
  const left: { value: unknown; at: string }[] = [{ value, at }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next.value === 'string') {
      const message = textProblem(next.value);
      if (message !== undefined) return refused(next.at, message);
    } else if (typeof next.value === 'object' && next.value !== null) {
      for (const [name, child] of Object.entries(next.value)) {
        const message = textProblem(name);
        if (message !== undefined) return refused(next.at, message);
        left.push({ value: child, at: `${next.at}.${name}` });
      }
    }
  }
  return undefined;
}

/** Checks a text that arrives outside of JSON, such as a form's field. @throws Refusal invalid_request */
export function checkText(text: string | undefined, location: string): void {
  const message = text === undefined ? undefined : textProblem(text);
  if (message !== undefined) throw invalidRequest([refused(location, message)]);
}
