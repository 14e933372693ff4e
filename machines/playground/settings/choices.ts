import type { Language, Model } from '#contract/models.ts';
import { languageName } from './languageName.ts';

/** What language A may be: the first parts of the configured pairs, else every language that `two_way_translation` reaches. */
export function languageAChoices(model: Model | null): Language[] {
  if (!model) return [];
  if (model.two_way_translation_pairs.length === 0) return within(model, model.two_way_translation);
  const firsts = new Set(pairsOf(model).map(([first]) => first));
  return named(model, [...firsts]);
}

/** What language B may be once A is chosen: the second parts of A's pairs, else every language that A's rule reaches but A. */
export function languageBChoices(model: Model | null, languageA: string | null): Language[] {
  if (!model || languageA === null) return [];
  if (model.two_way_translation_pairs.length === 0)
    return within(model, model.two_way_translation).filter(({ code }) => code !== languageA);
  const seconds = new Set(pairsOf(model).flatMap(([first, second]) => (first === languageA ? [second] : [])));
  return named(model, [...seconds]);
}

/** What a one-way translation may aim at: the listed targets, else every language that `one_way_translation` reaches. */
export function oneWayTargets(model: Model | null): Language[] {
  if (!model) return [];
  if (model.translation_targets.length === 0) return within(model, model.one_way_translation);
  return named(model, [...new Set(model.translation_targets.map((target) => target.target_language))]);
}

/** Hints make no sense for a model that names no languages (ASY-17). */
export function hintsDisabled(model: Model | null): boolean {
  return model === null || model.languages.length === 0;
}

/** Whether the model hears laughter, applause and the like. */
export function detectsEvents(model: Model | null): boolean {
  return model?.supports_audio_event_detection === true;
}

/** Whether the model can translate at all, in the given way. */
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

/** Codes with the model's names for them, else their English names. */
function named(model: Model, codes: readonly string[]): Language[] {
  return codes.map(
    (code) => model.languages.find((language) => language.code === code) ?? { code, name: languageName(code) },
  );
}
