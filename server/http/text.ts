import type { ValidationError } from '#contract/errors.ts';
import { createMiddleware } from 'hono/factory';
import type { AppEnv } from './env.ts';
import { invalidRequest } from './errors.ts';

const NUL = 'Must not contain the character U+0000.';

/** Why a text cannot be stored, in words; undefined for one that can. The database knows neither U+0000 nor half of a character. */
export function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return NUL;
  return /\p{Surrogate}/u.test(text) ? 'Must be well-formed Unicode text.' : undefined;
}

const refused = (location: string, message: string): ValidationError => ({
  error_type: 'invalid_text',
  location,
  message,
});

/** What is wrong with the texts anywhere in a JSON value, names of fields included; undefined where they are fine. */
export function jsonProblem(value: unknown, at: string): ValidationError | undefined {
  // Without recursion: a body can be nested deeper than the stack.
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

/** Checks the texts of a request that arrive outside of JSON, such as fields of a form. @throws ApiProblem 400 invalid_request */
export function checkText(text: string | undefined, location: string): void {
  const message = text === undefined ? undefined : textProblem(text);
  if (message !== undefined) throw invalidRequest([refused(location, message)]);
}

/** Refuses addresses with U+0000 in path or query, before any route looks at them. */
export const requireText = createMiddleware<AppEnv>(async (c, next) => {
  const { pathname, search } = new URL(c.req.url);
  for (const [location, part] of [
    ['path', pathname],
    ['query', search],
  ] as const) {
    if (part.includes('%00')) throw invalidRequest([refused(location, NUL)]);
  }
  await next();
});
