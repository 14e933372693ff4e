// Problems with settings that the page reports before it sends them (CON-13, CON-27).
import { CONTEXT_MAX_CHARS } from '#contract/translation.ts';
import type { Model } from '#contract/models.ts';
import type { TranslationChoice } from './change.ts';
import { countedCharacters } from './context.ts';

export type Obstacle = 'contextTooLong' | 'targetMissing' | 'languageAMissing' | 'languageBMissing';

/** How to solve each. */
export const OBSTACLE_TEXTS: Readonly<Record<Obstacle, string>> = {
  contextTooLong: `Shorten the context to at most ${CONTEXT_MAX_CHARS.toLocaleString('en')} characters.`,
  targetMissing: 'Choose the target language of the translation, or switch the translation off.',
  languageAMissing: 'Choose language A of the translation, or switch the translation off.',
  languageBMissing: 'Choose language B of the translation, or switch the translation off.',
};

/** The first obstacle; null if there is none. */
export function obstacleOf(
  context: string,
  { type, target, languageA, languageB }: TranslationChoice,
  model: Model | null,
): Obstacle | null {
  if (countedCharacters(context, model) > CONTEXT_MAX_CHARS) return 'contextTooLong';
  if (type === 'one_way' && target === null) return 'targetMissing';
  if (type === 'two_way' && languageA === null) return 'languageAMissing';
  return type === 'two_way' && languageB === null ? 'languageBMissing' : null;
}
