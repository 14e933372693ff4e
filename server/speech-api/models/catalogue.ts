import type { Language, Model } from '#contract/models.ts';
import type { EngineInfo, ModelAbilities, SttEngine } from '../../engine/port.ts';
import { MODEL_NAMES } from '../../platform/model-names.ts';

type Mode = Model['transcription_mode'];

/** A model of `GET /v1/models`: the contract's fields, and some that the console does not read. */
interface ListedModel extends Model {
  supports_endpoint_sensitivity: boolean;
  supports_endpoint_latency_adjustment: boolean;
  endpoint_latency_adjustment_max_level: number;
}

export interface Catalogue {
  models: readonly ListedModel[];
  /** The model with this id or alias in this mode, never an alias itself. Without an id, the first one. */
  resolve(id: string | null | undefined, mode: Mode): ListedModel | undefined;
}

const names = new Intl.DisplayNames(['en'], { type: 'language' });
const language = (code: string): Language => ({ code, name: names.of(code) ?? code });

/** Abilities of the embedded recognizer's models. Of the endpoint settings, live models have only the longest delay. */
function ownAbilities(
  codes: readonly string[],
  translations: NonNullable<EngineInfo['translations']>,
  mode: Mode,
): ModelAbilities {
  const targets = [...new Set(translations.map(({ to }) => to))].sort();
  const translates = (from: string, to: string): boolean =>
    translations.some((pair) => pair.from === from && pair.to === to);
  return {
    context_version: 2,
    languages: codes.map(language),
    one_way_translation: null,
    two_way_translation: null,
    translation_targets: targets.map((target) => ({
      target_language: target,
      source_languages: translations.filter(({ to }) => to === target).map(({ from }) => from),
      exclude_source_languages: [],
    })),
    // The recognizer must hear both languages, and translate each into the other.
    two_way_translation_pairs: translations
      .filter(({ from, to }) => from < to && translates(to, from) && codes.includes(from) && codes.includes(to))
      .map(({ from, to }) => `${from}:${to}`),
    supports_language_hints_strict: true,
    supports_max_endpoint_delay: mode === 'real_time',
  };
}

/** The models of an engine with its abilities, and their aliases. @param codes ISO 639-1 codes of the engine */
export function createCatalogue(
  codes: readonly string[],
  { translations = [], abilities }: Pick<EngineInfo, 'translations' | 'abilities'> = {},
): Catalogue {
  const modelsOf = (name: string, mode: Mode): ListedModel[] => {
    const able = abilities === undefined ? ownAbilities(codes, translations, mode) : abilities[mode];
    if (able === undefined) return [];
    return [
      {
        ...able,
        id: MODEL_NAMES[mode].id,
        name,
        aliased_model_id: null,
        transcription_mode: mode,
        supports_endpoint_sensitivity: false,
        supports_endpoint_latency_adjustment: false,
        endpoint_latency_adjustment_max_level: 0,
      },
    ];
  };
  const originals = [...modelsOf('Parlance Real-time 1', 'real_time'), ...modelsOf('Parlance Async 1', 'async')];
  const aliases = originals.flatMap((model) =>
    MODEL_NAMES[model.transcription_mode].aliases.map((id) => ({ ...model, id, aliased_model_id: model.id })),
  );
  const models = [...originals, ...aliases];
  return {
    models,
    resolve(id, mode) {
      if (id === null || id === undefined) return originals.find((model) => model.transcription_mode === mode);
      const named = models.find((model) => model.id === id && model.transcription_mode === mode);
      return named && originals.find((model) => model.id === (named.aliased_model_id ?? named.id));
    },
  };
}

/** The current models of an engine. Its abilities may be unknown at the start, and may change. */
export function catalogueOf(engine: Pick<SttEngine, 'info'>): Catalogue {
  let known = '';
  let catalogue = createCatalogue([]);
  const current = (): Catalogue => {
    const { languages, translations, abilities } = engine.info();
    const now = JSON.stringify([languages, translations, abilities]);
    if (now !== known) {
      known = now;
      catalogue = createCatalogue(languages, {
        ...(translations && { translations }),
        ...(abilities && { abilities }),
      });
    }
    return catalogue;
  };
  return {
    get models() {
      return current().models;
    },
    resolve: (id, mode) => current().resolve(id, mode),
  };
}
