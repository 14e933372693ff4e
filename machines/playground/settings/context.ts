// The user's context: text, or JSON for models of context version 2.
import * as v from 'valibot';
import { contextLength, parseStructuredContext, StructuredContext, type Context } from '#contract/translation.ts';
import type { Model } from '#contract/models.ts';
import type { Failure } from '../../shared/failure.ts';

const STRUCTURED = 2;

/** Whether a model takes its context as JSON (LIV-17). */
export const takesJson = (model: Model | null): boolean => model?.context_version === STRUCTURED;

/** Parses a text as any JSON value; null if it is not JSON. */
export function parseJson(text: string): { value: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return { value };
  } catch {
    return null;
  }
}

/** A transcription's context: a structured one if the model takes it and the text is one, else the text (ASY-12). */
export const asyncContext = (text: string, model: Model | null): Context =>
  (takesJson(model) ? parseStructuredContext(text) : null) ?? text;

/** A live session's context: any JSON value for a model that takes JSON, else the text (LIV-17). '' for a blank one. */
export function liveContext(text: string, model: Model | null): unknown {
  if (text.trim() === '') return '';
  const parsed = takesJson(model) ? parseJson(text) : null;
  return parsed ? parsed.value : text;
}

const sentContext = (text: string, model: Model | null): unknown =>
  (model?.transcription_mode === 'async' ? asyncContext : liveContext)(text, model);

/** Characters that count against the limit: those sent, so JSON counts without its blanks. */
export const countedCharacters = (text: string, model: Model | null): number => contextLength(sentContext(text, model));

const KINDS = { string: 'a text', number: 'a number', boolean: 'a truth value' } as const;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? KINDS[type] : 'null';
}

/**
 * What may be wrong with a context's shape, as a text for people; null if nothing. The context is sent all the same:
 * the server decides (LIV-17), but only answers that the request is malformed.
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

/** Text beside the context field, if the server's refusal names the context; else null. */
export function refusedContext(failure: Failure | null, text: string, model: Model | null): string | null {
  const problem = failure?.problems?.find(({ location }) => location.split('.').includes('context'));
  return problem ? (contextDoubt(text, model) ?? problem.message) : null;
}
