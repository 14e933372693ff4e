// The context that a person writes: text, or JSON for models of context version 2.
import * as v from 'valibot';
import { contextLength, parseStructuredContext, StructuredContext, type Context } from '#contract/translation.ts';
import type { Model } from '#contract/models.ts';
import type { Failure } from '../../shared/failure.ts';

const STRUCTURED = 2;

/** Whether a model takes its context as JSON (LIV-17). */
export const takesJson = (model: Model | null): boolean => model?.context_version === STRUCTURED;

/** What a text holds as JSON, whatever kind of value that is; null for text that is no JSON. */
export function parseJson(text: string): { value: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return null;
  }
}

/** What a transcription is given: an object where the model takes one and the text is one, else the text (ASY-12). */
export const asyncContext = (text: string, model: Model | null): Context =>
  (takesJson(model) ? parseStructuredContext(text) : null) ?? text;

/** What a live session is given: for a model that takes JSON its value, of whatever kind (LIV-17); blanks alone are nothing. */
export function liveContext(text: string, model: Model | null): unknown {
  if (text.trim() === '') return '';
  const parsed = takesJson(model) ? parseJson(text) : null;
  return parsed ? parsed.value : text;
}

const sentContext = (text: string, model: Model | null): unknown =>
  (model?.transcription_mode === 'async' ? asyncContext : liveContext)(text, model);

/** How many characters of a context count against the limit: those that are sent, so JSON without the blanks around its parts. */
export const countedCharacters = (text: string, model: Model | null): number => contextLength(sentContext(text, model));

const KINDS = { string: 'a text', number: 'a number', boolean: 'a truth value' } as const;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? KINDS[type] : 'null';
}

/**
 * What of a context's shape can be the cause of a refusal, in words for a person; null where nothing can. It is sent all the same: the server
 * judges (LIV-17), and says no more than that the request is malformed.
 */
export function contextDoubt(text: string, model: Model | null): string | null {
  const parsed = takesJson(model) ? parseJson(text) : null;
  if (!parsed) return null;
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `The context you gave is ${kindOf(value)}, not an object; the server accepts an object.`;
  }
  const { issues } = v.safeParse(StructuredContext, value);
  const part = issues?.[0].path?.[0].key;
  return typeof part === 'string'
    ? `The context you gave has a "${part}" of a form that the server does not accept.`
    : null;
}

/** What to say beside the context where the server's refusal names it; null where it is about something else. */
export function refusedContext(failure: Failure | null, text: string, model: Model | null): string | null {
  const problem = failure?.problems?.find(({ location }) => location.split('.').includes('context'));
  return problem ? (contextDoubt(text, model) ?? problem.message) : null;
}
