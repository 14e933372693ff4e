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
type StructuredContext = v.InferOutput<typeof StructuredContext>;
/** A list would pass for one without any part. */
const NoList = v.lazy((input): v.GenericSchema<StructuredContext> =>
  Array.isArray(input) ? v.never() : StructuredContext,
);
export const CONTEXT_MAX_CHARS = 10_000;
export const Context = v.union(
  [
    v.pipe(v.string(), v.maxLength(CONTEXT_MAX_CHARS, `Context is too long (max length ${CONTEXT_MAX_CHARS}).`)),
    NoList,
  ],
  'Invalid type: Expected string or Object',
);
export type Context = v.InferOutput<typeof Context>;

/** How many characters of a context count against {@link CONTEXT_MAX_CHARS}: those of a text, or of anything else as JSON. */
export const contextLength = (context: unknown): number =>
  (typeof context === 'string' ? context : JSON.stringify(context)).length;

export const LanguageHints = v.pipe(v.array(v.pipe(v.string(), v.maxLength(10))), v.maxLength(100));

/** The structured context that a text holds as JSON; null for text that is no JSON, or JSON that is no such object. */
export function parseStructuredContext(text: string): StructuredContext | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const result = v.safeParse(NoList, parsed);
  return result.success ? result.output : null;
}
