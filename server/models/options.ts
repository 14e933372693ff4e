import type { Model } from '#contract/models.ts';
import { CONTEXT_MAX_CHARS, type Context, type Translation } from '#contract/translation.ts';

/** What a transcription and a live session can both ask for. */
export interface RequestedOptions {
  language_hints?: readonly string[] | null | undefined;
  context?: Context | null | undefined;
  translation?: Translation | null | undefined;
  enable_audio_event_detection?: boolean | null | undefined;
}

export interface OptionProblem {
  field: keyof RequestedOptions;
  /** The public API's own words where it has some. */
  message: string;
}

/** What this model cannot do of what is asked; empty when it can do all of it. */
export function optionProblems(model: Model, options: RequestedOptions): OptionProblem[] {
  const problems: OptionProblem[] = [];
  const hints = options.language_hints ?? [];
  if (new Set(hints).size < hints.length) problems.push({ field: 'language_hints', message: 'Language hints must be unique.' });
  else if (hints.some((hint) => !model.languages.some(({ code }) => code === hint))) problems.push({ field: 'language_hints', message: 'Invalid language hint.' });
  if (options.context && JSON.stringify(options.context).length > CONTEXT_MAX_CHARS + 2) problems.push({ field: 'context', message: `Context is too long (max length ${CONTEXT_MAX_CHARS}).` });
  if (options.translation && !translates(model, options.translation)) problems.push({ field: 'translation', message: 'Model does not support translations.' });
  if (options.enable_audio_event_detection) problems.push({ field: 'enable_audio_event_detection', message: 'Model does not support audio event detection.' });
  return problems;
}

const translates = (model: Model, { type }: Translation): boolean =>
  type === 'one_way'
    ? model.one_way_translation !== null || model.translation_targets.length > 0
    : model.two_way_translation !== null || model.two_way_translation_pairs.length > 0;
