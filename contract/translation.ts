import * as v from 'valibot';

const Language = v.pipe(v.string(), v.minLength(2), v.maxLength(10));

/** The optional translation of a transcription or of a live session. */
export const Translation = v.variant('type', [
  v.object({ type: v.literal('one_way'), target_language: Language }),
  v.object({ type: v.literal('two_way'), language_a: Language, language_b: Language }),
]);
export type Translation = v.InferOutput<typeof Translation>;

/** Context v2 (`context_version` 2); all parts optional. Older models take a plain string. */
export const StructuredContext = v.object({
  general: v.nullish(v.array(v.object({ key: v.string(), value: v.string() }))),
  text: v.nullish(v.string()),
  terms: v.nullish(v.array(v.string())),
  translation_terms: v.nullish(v.array(v.object({ source: v.string(), target: v.string() }))),
});
export const CONTEXT_MAX_CHARS = 10_000;
export const Context = v.union([v.pipe(v.string(), v.maxLength(CONTEXT_MAX_CHARS, `Context is too long (max length ${CONTEXT_MAX_CHARS}).`)), StructuredContext]);
export type Context = v.InferOutput<typeof Context>;

export const LanguageHints = v.pipe(v.array(v.pipe(v.string(), v.maxLength(10))), v.maxLength(100));

/** The structured context that a text holds as JSON; null for text that is no JSON, or JSON that is no such object. */
export function parseStructuredContext(text: string): v.InferOutput<typeof StructuredContext> | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const result = v.safeParse(StructuredContext, parsed);
  return result.success && !Array.isArray(parsed) ? result.output : null;
}
