import type { Language, Model } from '#contract/models.ts';
import { languageName } from './languageName.ts';

/** Choices for language A: the first languages of the configured pairs, else all of `two_way_translation`. */
export function languageAChoices(model: Model | null): Language[] {
  if (!model) return [];
  if (model.two_way_translation_pairs.length === 0) return within(model, model.two_way_translation);
  const firsts = new Set(pairsOf(model).map(([first]) => first));
  return named(model, [...firsts]);
}

/** Choices for language B: the second languages of A's pairs, else all of `two_way_translation` but A. */
export function languageBChoices(model: Model | null, languageA: string | null): Language[] {
  if (!model || languageA === null) return [];
  if (model.two_way_translation_pairs.length === 0)
    return within(model, model.two_way_translation).filter(({ code }) => code !== languageA);
  const seconds = new Set(pairsOf(model).flatMap(([first, second]) => (first === languageA ? [second] : [])));
  return named(model, [...seconds]);
}

/** Target languages of a one-way translation: the listed targets, else all of `one_way_translation`. */
export function oneWayTargets(model: Model | null): Language[] {
  if (!model) return [];
  if (model.translation_targets.length === 0) return within(model, model.one_way_translation);
  return named(model, [...new Set(model.translation_targets.map((target) => target.target_language))]);
}

/** Whether language hints are disabled, because the model lists no languages (ASY-17). */
export function hintsDisabled(model: Model | null): boolean {
  return model === null || model.languages.length === 0;
}

/** Whether the model detects audio events such as laughter and applause. */
export function detectsEvents(model: Model | null): boolean {
  return model?.supports_audio_event_detection === true;
}

/** Whether the model offers this type of translation. */
export function canTranslate(model: Model | null, type: 'one_way' | 'two_way'): boolean {
  return (type === 'one_way' ? oneWayTargets(model) : languageAChoices(model)).length > 0;
}

function pairsOf(model: Model): [string, string][] {
  return model.two_way_translation_pairs.flatMap((pair) => {
    const [first, second] = pair.split(':');
    return first && second ? [[first, second] satisfies [string, string]] : [];
  });
}

function within(model: Model, reach: 'all_languages' | string[] | null): Language[] {
  if (reach === null) return [];
  return reach === 'all_languages' ? model.languages : named(model, reach);
}

/** Languages with the model's names, else their English names. */
function named(model: Model, codes: readonly string[]): Language[] {
  return codes.map(
    (code) => model.languages.find((language) => language.code === code) ?? { code, name: languageName(code) },
  );
}
