import type { Model } from '#contract/models.ts';

/** Models of the async panel: async models without aliases (ASY-13). */
export function asyncModels(models: readonly Model[]): Model[] {
  return models.filter((model) => model.transcription_mode === 'async' && model.aliased_model_id === null);
}

/** Models of the live panel: real-time models without aliases. The first is the default (LIV-18). */
export function realTimeModels(models: readonly Model[]): Model[] {
  return models.filter((model) => model.transcription_mode === 'real_time' && model.aliased_model_id === null);
}

/** The model with this id, or null. */
export function modelById(models: readonly Model[], id: string | null): Model | null {
  return models.find((model) => model.id === id) ?? null;
}

/** The browser's languages that the model knows, as codes without region or duplicates (LIV-23). */
export function defaultLiveHints(browserLanguages: readonly string[], model: Model | null): string[] {
  const known = new Set(model?.languages.map((language) => language.code));
  const codes = browserLanguages.map((tag) => tag.split('-', 1).join('').toLowerCase());
  return [...new Set(codes)].filter((code) => known.has(code));
}
