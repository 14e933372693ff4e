import type { Model } from '#contract/models.ts';
import { CONTEXT_MAX_CHARS, contextLength, type Context, type Translation } from '#contract/translation.ts';

/** Options that transcriptions and live sessions share. */
export interface RequestedOptions {
  language_hints?: readonly string[] | null | undefined;
  context?: Context | null | undefined;
  translation?: Translation | null | undefined;
  enable_audio_event_detection?: boolean | null | undefined;
}

export interface OptionProblem {
  field: keyof RequestedOptions;
  /** The public API's own words if it has some. */
  message: string;
}

/** The options that this model does not support, each with a message. */
export function optionProblems(model: Model, options: RequestedOptions): OptionProblem[] {
  const problems: OptionProblem[] = [];
  const hints = options.language_hints ?? [];
  if (new Set(hints).size < hints.length)
    problems.push({ field: 'language_hints', message: 'Language hints must be unique.' });
  else if (hints.length > 0 && !areHints(model, hints))
    problems.push({ field: 'language_hints', message: 'Invalid language hint.' });
  if (options.context && contextLength(options.context) > CONTEXT_MAX_CHARS)
    problems.push({ field: 'context', message: `Context is too long (max length ${CONTEXT_MAX_CHARS}).` });
  const untranslatable = options.translation && translationProblem(model, options.translation);
  if (untranslatable) problems.push({ field: 'translation', message: untranslatable });
  if (options.enable_audio_event_detection)
    problems.push({ field: 'enable_audio_event_detection', message: 'Model does not support audio event detection.' });
  return problems;
}

const NAMES = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** Whether all hints are languages, and at least one is the model's. Clients list all languages that users speak. */
function areHints(model: Model, hints: readonly string[]): boolean {
  const isOfModel = (hint: string): boolean => model.languages.some(({ code }) => code === hint);
  const isLanguage = (hint: string): boolean => /^[a-z]{2,3}$/.test(hint) && NAMES.of(hint) !== undefined;
  return hints.some(isOfModel) && hints.every((hint) => isOfModel(hint) || isLanguage(hint));
}

function translationProblem(model: Model, translation: Translation): string | undefined {
  const { one_way_translation, translation_targets, two_way_translation, two_way_translation_pairs } = model;
  if (
    one_way_translation === null &&
    translation_targets.length === 0 &&
    two_way_translation === null &&
    two_way_translation_pairs.length === 0
  )
    return 'Model does not support translations.';
  return canTranslate(model, translation) ? undefined : 'Invalid translation target language.';
}

function canTranslate(model: Model, translation: Translation): boolean {
  const within = (reach: Model['one_way_translation'], code: string): boolean =>
    reach === 'all_languages'
      ? model.languages.some((language) => language.code === code)
      : reach?.includes(code) === true;
  if (translation.type === 'one_way') {
    const { target_language: target } = translation;
    if (model.translation_targets.length > 0)
      return model.translation_targets.some(({ target_language }) => target_language === target);
    return within(model.one_way_translation, target);
  }
  const { language_a: a, language_b: b } = translation;
  if (a === b) return false;
  if (model.two_way_translation_pairs.length > 0)
    return model.two_way_translation_pairs.some((pair) => pair === `${a}:${b}` || pair === `${b}:${a}`);
  return within(model.two_way_translation, a) && within(model.two_way_translation, b);
}
