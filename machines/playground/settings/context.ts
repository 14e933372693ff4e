// The context that a person writes: text, or JSON for models of context version 2.
import { contextLength } from '#contract/translation.ts';
import type { Model } from '#contract/models.ts';

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

/** How many characters of a context count against the limit: JSON counts as it is sent, without the blanks around its parts. */
export function countedCharacters(text: string, model: Model | null): number {
  const parsed = takesJson(model) ? parseJson(text) : null;
  return contextLength(parsed ? parsed.value : text);
}
