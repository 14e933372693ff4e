// Settings and requests made from a transcription, to ask for it again.
import type { Model } from '#contract/models.ts';
import type { Transcription, TranscriptionCreate } from '#contract/transcriptions.ts';
import { fitAsyncSettings } from './change.ts';
import { asyncModels, modelById } from './models.ts';
import { buildCreatePayload } from './payload.ts';
import { ASYNC_DEFAULTS, type AsyncSettings } from './types.ts';

/** The model that a transcription asked for, perhaps by an alias; null if the panel does not offer it. */
export function modelAskedFor(models: readonly Model[], { model }: Pick<Transcription, 'model'>): Model | null {
  const id = modelById(models, model)?.aliased_model_id ?? model;
  return modelById(asyncModels(models), id);
}

/** The settings of a transcription, as far as the model has them. */
export function settingsLike(transcription: Transcription, model: Model | null): AsyncSettings {
  const { language_hints, context, translation } = transcription;
  const text = typeof context === 'string' ? context : context && JSON.stringify(context, null, 2);
  return fitAsyncSettings(
    {
      ...ASYNC_DEFAULTS,
      language_hints: language_hints ?? [],
      context: text ?? '',
      enable_speaker_diarization: transcription.enable_speaker_diarization,
      enable_language_identification: transcription.enable_language_identification,
      translation_type: translation?.type ?? null,
      ...(translation?.type === 'one_way' && {
        translation_one_way: { target_language: translation.target_language },
      }),
      ...(translation?.type === 'two_way' && {
        translation_two_way: { language_a: translation.language_a, language_b: translation.language_b },
      }),
    },
    model,
  );
}

/** The request for the same file with the same settings; null if the file is none of the project, or the model is gone. */
export function requestLike(models: readonly Model[], transcription: Transcription): TranscriptionCreate | null {
  const model = modelAskedFor(models, transcription);
  if (model === null || transcription.file_id === null) return null;
  return {
    ...buildCreatePayload(settingsLike(transcription, model), model, transcription.file_id),
    ...(transcription.language_hints_strict === null
      ? {}
      : { language_hints_strict: transcription.language_hints_strict }),
  };
}
