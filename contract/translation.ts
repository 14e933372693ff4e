import * as v from 'valibot';

const Language = v.pipe(v.string(), v.minLength(2), v.maxLength(10));

/** The translation of a transcription or live session. */
export const Translation = v.variant('type', [
  v.object({ type: v.literal('one_way'), target_language: Language }),
  v.object({ type: v.literal('two_way'), language_a: Language, language_b: Language }),
]);
export type Translation = v.InferOutput<typeof Translation>;

/** Context of models with `context_version` 2; all parts are optional. Other models take a plain string. */
export const StructuredContext = v.object({
  general: v.nullish(v.array(v.object({ key: v.string(), value: v.string() }))),
  text: v.nullish(v.string()),
  terms: v.nullish(v.array(v.string())),
  translation_terms: v.nullish(v.array(v.object({ source: v.string(), target: v.string() }))),
});
type StructuredContext = v.InferOutput<typeof StructuredContext>;
/** Refuses arrays, which would pass as an object without parts. */
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

/** Length of a context for {@link CONTEXT_MAX_CHARS}: of the text, or of the object as JSON. */
export const contextLength = (context: unknown): number =>
  (typeof context === 'string' ? context : JSON.stringify(context)).length;

export const LanguageHints = v.pipe(v.array(v.pipe(v.string(), v.maxLength(10))), v.maxLength(100));

/** Parses JSON text as a structured context; null if it is not JSON, or not such an object. */
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
