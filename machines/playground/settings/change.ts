import type { Model } from '#contract/models.ts';
import { canTranslate, detectsEvents, languageAChoices, languageBChoices, oneWayTargets } from './choices.ts';
import type { AsyncSettings, LiveSettings, TranslationType } from './types.ts';

/** Changes of all settings but the translation, which has its own events. */
export type AsyncPatch = Partial<
  Omit<AsyncSettings, 'translation_type' | 'translation_one_way' | 'translation_two_way'>
>;
export type LivePatch = Partial<Omit<LiveSettings, 'translationType' | 'translationOneWay' | 'translationTwoWay'>>;

/** The user's changes to the translation, in both panels. A null code clears the choice. */
export type TranslationEvent =
  | { type: 'translation.toggled'; translationType: TranslationType }
  | { type: 'targetLanguage.selected'; code: string | null }
  | { type: 'languageA.selected'; code: string | null }
  | { type: 'languageB.selected'; code: string | null };

/** The translation part of either kind of settings. */
export type TranslationChoice = {
  type: TranslationType | null;
  target: string | null;
  languageA: string | null;
  languageB: string | null;
};

/** Choosing the same type again clears it (ASY-15). */
export function toggleTranslationType(
  current: TranslationType | null,
  chosen: TranslationType,
): TranslationType | null {
  return current === chosen ? null : chosen;
}

/** Sets language A. A new A clears B, because not every pair is possible. */
export function chooseLanguageA(choice: TranslationChoice, code: string | null): TranslationChoice {
  return code === choice.languageA ? choice : { ...choice, languageA: code, languageB: null };
}

/** Whether the model, and for B the chosen A, allows the change. */
export function mayChangeTranslation(choice: TranslationChoice, event: TranslationEvent, model: Model | null): boolean {
  const offers = (languages: readonly { code: string }[], code: string | null) =>
    code === null || languages.some((language) => language.code === code);
  switch (event.type) {
    case 'translation.toggled':
      return event.translationType === choice.type || canTranslate(model, event.translationType);
    case 'targetLanguage.selected':
      return offers(oneWayTargets(model), event.code);
    case 'languageA.selected':
      return offers(languageAChoices(model), event.code);
    case 'languageB.selected':
      return choice.languageA !== null && offers(languageBChoices(model, choice.languageA), event.code);
  }
}

/** The choice after the change, which {@link mayChangeTranslation} has to allow. */
export function changeTranslation(choice: TranslationChoice, event: TranslationEvent): TranslationChoice {
  switch (event.type) {
    case 'translation.toggled':
      return { ...choice, type: toggleTranslationType(choice.type, event.translationType) };
    case 'targetLanguage.selected':
      return { ...choice, target: event.code };
    case 'languageA.selected':
      return chooseLanguageA(choice, event.code);
    case 'languageB.selected':
      return { ...choice, languageB: event.code };
  }
}

/** Clears every choice that the model does not offer. */
function fitTranslation(choice: TranslationChoice, model: Model | null): TranslationChoice {
  const keep = (languages: readonly { code: string }[], code: string | null) =>
    languages.some((language) => language.code === code) ? code : null;
  const languageA = keep(languageAChoices(model), choice.languageA);
  return {
    type: choice.type !== null && canTranslate(model, choice.type) ? choice.type : null,
    target: keep(oneWayTargets(model), choice.target),
    languageA,
    languageB: keep(languageBChoices(model, languageA), choice.languageB),
  };
}

export function asyncTranslation(settings: AsyncSettings): TranslationChoice {
  const { language_a: languageA, language_b: languageB } = settings.translation_two_way;
  return {
    type: settings.translation_type,
    target: settings.translation_one_way.target_language,
    languageA,
    languageB,
  };
}

export function withAsyncTranslation(settings: AsyncSettings, choice: TranslationChoice): AsyncSettings {
  return {
    ...settings,
    translation_type: choice.type,
    translation_one_way: { target_language: choice.target },
    translation_two_way: { language_a: choice.languageA, language_b: choice.languageB },
  };
}

export function liveTranslation(settings: LiveSettings): TranslationChoice {
  const { languageA, languageB } = settings.translationTwoWay;
  return { type: settings.translationType, target: settings.translationOneWay.targetLanguage, languageA, languageB };
}

export function withLiveTranslation(settings: LiveSettings, choice: TranslationChoice): LiveSettings {
  return {
    ...settings,
    translationType: choice.type,
    translationOneWay: { targetLanguage: choice.target },
    translationTwoWay: { languageA: choice.languageA, languageB: choice.languageB },
  };
}

/** Removes hints, event detection and translation that the model does not support. */
export function fitAsyncSettings(settings: AsyncSettings, model: Model | null): AsyncSettings {
  const fitted = withAsyncTranslation(settings, fitTranslation(asyncTranslation(settings), model));
  return {
    ...fitted,
    language_hints: knownHints(settings.language_hints, model),
    enable_audio_event_detection: settings.enable_audio_event_detection && detectsEvents(model),
  };
}

/** Removes hints, event detection and translation that the model does not support. */
export function fitLiveSettings(settings: LiveSettings, model: Model | null): LiveSettings {
  const fitted = withLiveTranslation(settings, fitTranslation(liveTranslation(settings), model));
  return {
    ...fitted,
    languageHints: knownHints(settings.languageHints, model),
    enableAudioEventDetection: settings.enableAudioEventDetection && detectsEvents(model),
  };
}

function knownHints(hints: readonly string[], model: Model | null): string[] {
  return hints.filter((hint) => model?.languages.some((language) => language.code === hint));
}
