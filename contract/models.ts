import * as v from 'valibot';

export const Language = v.object({ code: v.string(), name: v.string() });
export type Language = v.InferOutput<typeof Language>;

/** `'all_languages'`, a list of languages, or null if the model cannot translate so. */
const Reach = v.nullable(v.union([v.literal('all_languages'), v.array(v.string())]));

export const Model = v.object({
  id: v.string(),
  name: v.string(),
  /** Id of the model that an alias stands for; null for a real model. */
  aliased_model_id: v.nullable(v.string()),
  /** 2: the context may be a JSON object; else it is a plain string. */
  context_version: v.nullable(v.number()),
  /** The public API says `real_time`; `real-time` is accepted too. */
  transcription_mode: v.pipe(
    v.picklist(['async', 'real_time', 'real-time']),
    v.transform((mode) => (mode === 'async' ? 'async' : 'real_time')),
    v.picklist(['async', 'real_time']),
  ),
  languages: v.array(Language),
  one_way_translation: v.optional(Reach, null),
  two_way_translation: v.optional(Reach, null),
  /** If empty, `one_way_translation` decides. */
  translation_targets: v.optional(
    v.array(
      v.object({
        target_language: v.string(),
        source_languages: v.optional(v.array(v.string()), []),
        exclude_source_languages: v.optional(v.array(v.string()), []),
      }),
    ),
    [],
  ),
  /** Pairs such as `'a:b'`. If empty, `two_way_translation` decides. */
  two_way_translation_pairs: v.optional(v.array(v.string()), []),
  supports_language_hints_strict: v.optional(v.boolean(), false),
  /** Missing means false, from servers that do not know the field. */
  supports_audio_event_detection: v.optional(v.boolean()),
  supports_max_endpoint_delay: v.optional(v.boolean(), false),
  /** The console does not use these three. */
  supports_endpoint_sensitivity: v.optional(v.boolean()),
  supports_endpoint_latency_adjustment: v.optional(v.boolean()),
  endpoint_latency_adjustment_max_level: v.optional(v.number()),
});
export type Model = v.InferOutput<typeof Model>;

export const ModelList = v.object({ models: v.array(Model) });
export type ModelList = v.InferOutput<typeof ModelList>;
