// Settings and requests made from a transcription, or from a request of the logs, to ask for it again.
import type { LogRequest } from '#contract/logs.ts';
import type { Model } from '#contract/models.ts';
import type { Transcription, TranscriptionCreate } from '#contract/transcriptions.ts';
import type { Context, Translation } from '#contract/translation.ts';
import { fitAsyncSettings, fitLiveSettings } from './change.ts';
import { asyncModels, modelById, realTimeModels } from './models.ts';
import { buildCreatePayload } from './payload.ts';
import { ASYNC_DEFAULTS, LIVE_DEFAULTS, type AsyncSettings, type LiveSettings } from './types.ts';

/** What a request asked for, as far as a panel has it. */
export type Asked = {
  model: string | null;
  language_hints: readonly string[] | null;
  /** The logs keep none. */
  context?: Context | null;
  enable_speaker_diarization: boolean | null;
  enable_language_identification: boolean | null;
  enable_audio_event_detection?: boolean | null;
  enable_endpoint_detection?: boolean | null;
  translation: Translation | null;
};

/** The id of a model, also of one that an alias stands for. */
export const unaliased = (models: readonly Model[], id: string | null): string | null =>
  modelById(models, id)?.aliased_model_id ?? id;

/** The model that a request asked for, perhaps by an alias; null if the panel of files does not offer it. */
export const modelAskedFor = (models: readonly Model[], { model }: Pick<Asked, 'model'>): Model | null =>
  modelById(asyncModels(models), unaliased(models, model));

const contextText = ({ context }: Asked): string =>
  typeof context === 'string' ? context : context == null ? '' : JSON.stringify(context, null, 2);

const hintsOf = ({ language_hints: hints }: Asked): string[] => [...new Set(hints)];

/** The settings of a request, as far as the model has them. */
export function settingsLike(asked: Asked, model: Model | null): AsyncSettings {
  const { translation } = asked;
  return fitAsyncSettings(
    {
      ...ASYNC_DEFAULTS,
      language_hints: hintsOf(asked),
      context: contextText(asked),
      enable_speaker_diarization: asked.enable_speaker_diarization ?? false,
      enable_language_identification: asked.enable_language_identification ?? false,
      enable_audio_event_detection: asked.enable_audio_event_detection ?? false,
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

/** The settings of a live session, as far as the model has them. */
export function liveSettingsLike(asked: Asked, model: Model | null): LiveSettings {
  const { translation } = asked;
  return fitLiveSettings(
    {
      ...LIVE_DEFAULTS,
      languageHints: hintsOf(asked),
      context: contextText(asked),
      enableSpeakerDiarization: asked.enable_speaker_diarization ?? false,
      enableLanguageIdentification: asked.enable_language_identification ?? false,
      enableAudioEventDetection: asked.enable_audio_event_detection ?? false,
      enableEndpointDetection: asked.enable_endpoint_detection ?? false,
      translationType: translation?.type ?? null,
      ...(translation?.type === 'one_way' && { translationOneWay: { targetLanguage: translation.target_language } }),
      ...(translation?.type === 'two_way' && {
        translationTwoWay: { languageA: translation.language_a, languageB: translation.language_b },
      }),
    },
    model,
  );
}

/** What of a request its panel cannot take over: values that the model lacks, and fields that the panel has not. */
export function notTaken(request: LogRequest, models: readonly Model[], kind: 'async' | 'real_time'): string[] {
  const offered = kind === 'async' ? asyncModels(models) : realTimeModels(models);
  const asked = modelById(offered, unaliased(models, request.model));
  const model = asked ?? offered[0] ?? null;
  const taken = settingsLike(request, model);
  const { translation } = request;
  const isTranslated = translation === null || hasLanguages(taken, translation);
  return [
    ...(request.model !== null && asked === null ? [`model “${request.model}”`] : []),
    ...hintsOf(request).flatMap((hint) => (taken.language_hints.includes(hint) ? [] : [`language_hints “${hint}”`])),
    ...(request.enable_audio_event_detection && !taken.enable_audio_event_detection
      ? ['enable_audio_event_detection']
      : []),
    ...(isTranslated ? [] : ['translation']),
    ...(request.language_hints_strict ? ['language_hints_strict'] : []),
    ...(kind === 'async' && request.enable_endpoint_detection ? ['enable_endpoint_detection'] : []),
    ...request.left_out,
  ];
}

function hasLanguages(settings: AsyncSettings, translation: Translation): boolean {
  if (settings.translation_type !== translation.type) return false;
  if (translation.type === 'one_way')
    return settings.translation_one_way.target_language === translation.target_language;
  const { language_a, language_b } = settings.translation_two_way;
  return language_a === translation.language_a && language_b === translation.language_b;
}

/**
 * The request for the same file with the same settings, reference and webhook; null if the file is none of the project,
 * or the model is gone. Leaves out a webhook with a secret header.
 */
export function requestLike(models: readonly Model[], transcription: Transcription): TranscriptionCreate | null {
  const model = modelAskedFor(models, transcription);
  if (model === null || transcription.file_id === null) return null;
  const { language_hints_strict, client_reference_id, webhook_url } = transcription;
  return {
    ...buildCreatePayload(settingsLike(transcription, model), model, transcription.file_id),
    ...(language_hints_strict === null ? {} : { language_hints_strict }),
    ...(client_reference_id === null ? {} : { client_reference_id }),
    ...(webhook_url === null || hasSecretHeader(transcription) ? {} : { webhook_url }),
  };
}

const hasSecretHeader = ({ webhook_auth_header_name: name }: Transcription): boolean => name !== null;

/** Told beside what asks for a transcription again, if that leaves something out; null if it does not. */
export const leavesOutText = (transcription: Transcription): string | null =>
  transcription.webhook_url !== null && hasSecretHeader(transcription)
    ? 'No webhook will be sent: nobody can read the value of its header again.'
    : null;
