import type { Model } from '#contract/models.ts';
import type { TranscriptionCreate } from '#contract/transcriptions.ts';
import type { Translation } from '#contract/translation.ts';
import { liveError, type LiveError } from '../live/errors.ts';
import { asyncTranslation, liveTranslation, type TranslationChoice } from './change.ts';
import { asyncContext, liveContext, parseJson, takesJson } from './context.ts';
import type { AsyncSettings, LiveSessionConfig, LiveSettings } from './types.ts';

/**
 * The body of POST /v1/transcriptions (spec §3, ASY-12). A structured context goes as an object where the model takes
 * one and the text is one; any other text goes as it is, and the server judges it.
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
 * A live session's first frame, as far as the settings decide it (spec §3, LIV-15): only what is set is named. A context for
 * a model that takes JSON must be JSON, else the error is `invalid_context_structure`; of what kind is the server's to judge (LIV-17).
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

/** Null until every language that the type needs is chosen. */
function toTranslation(choice: TranslationChoice): Translation | null {
  if (choice.type === 'one_way' && choice.target !== null) return { type: 'one_way', target_language: choice.target };
  if (choice.type === 'two_way' && choice.languageA !== null && choice.languageB !== null) {
    return { type: 'two_way', language_a: choice.languageA, language_b: choice.languageB };
  }
  return null;
}

/** No `value` where there is nothing to send. */
function checkedContext(text: string, model: Model | null): { value?: unknown } | { error: LiveError } {
  if (text.trim() === '') return {};
  if (takesJson(model) && !parseJson(text)) return { error: liveError('invalid_context_structure') };
  return { value: liveContext(text, model) };
}
