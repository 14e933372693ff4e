import type { Model } from '#contract/models.ts';
import type { TranscriptionCreate } from '#contract/transcriptions.ts';
import type { Translation } from '#contract/translation.ts';
import { liveError, type LiveError } from '../live/errors.ts';
import { asyncTranslation, liveTranslation, type TranslationChoice } from './change.ts';
import { asyncContext, liveContext, parseJson, takesJson } from './context.ts';
import type { AsyncSettings, LiveSessionConfig, LiveSettings } from './types.ts';

/**
 * The body of POST /v1/transcriptions (ASY-12). The server judges a context that is text although the model
 * takes JSON.
 */
export function buildCreatePayload(settings: AsyncSettings, model: Model, fileId: string): TranscriptionCreate {
  const translation = toTranslation(asyncTranslation(settings));
  return {
    model: model.id,
    file_id: fileId,
    language_hints: [...settings.language_hints],
    context: asyncContext(settings.context, model),
    enable_speaker_diarization: settings.enable_speaker_diarization,
    enable_language_identification: settings.enable_language_identification,
    enable_audio_event_detection: settings.enable_audio_event_detection,
    ...(translation ? { translation } : {}),
  };
}

/**
 * The settings in a live session's first frame; names only those that are set (LIV-15). If the model takes
 * JSON and the context is not JSON, the error is `invalid_context_structure`; the server judges its shape (LIV-17).
 */
export function buildLiveConfig(
  settings: LiveSettings,
  model: Model | null,
): { config: LiveSessionConfig } | { error: LiveError } {
  const context = checkedContext(settings.context, model);
  if ('error' in context) return context;
  const translation = toTranslation(liveTranslation(settings));
  return {
    config: {
      ...(model ? { model: model.id } : {}),
      ...(settings.languageHints.length > 0 ? { language_hints: [...settings.languageHints] } : {}),
      ...('value' in context ? { context: context.value } : {}),
      ...(settings.enableSpeakerDiarization ? { enable_speaker_diarization: true } : {}),
      ...(settings.enableLanguageIdentification ? { enable_language_identification: true } : {}),
      ...(settings.enableAudioEventDetection ? { enable_audio_event_detection: true } : {}),
      ...(settings.enableEndpointDetection ? { enable_endpoint_detection: true } : {}),
      ...(translation ? { translation } : {}),
    },
  };
}

/** The translation to request; null until all its languages are chosen. */
function toTranslation(choice: TranslationChoice): Translation | null {
  if (choice.type === 'one_way' && choice.target !== null) return { type: 'one_way', target_language: choice.target };
  if (choice.type === 'two_way' && choice.languageA !== null && choice.languageB !== null) {
    return { type: 'two_way', language_a: choice.languageA, language_b: choice.languageB };
  }
  return null;
}

/** The context to send; no `value` if it is blank. */
function checkedContext(text: string, model: Model | null): { value?: unknown } | { error: LiveError } {
  if (text.trim() === '') return {};
  if (takesJson(model) && !parseJson(text)) return { error: liveError('invalid_context_structure') };
  return { value: liveContext(text, model) };
}
