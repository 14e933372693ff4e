import type { Model } from '#contract/models.ts';
import type { LiveSessionToKeep, TranscriptToken } from '#contract/transcriptions.ts';
import { asyncContext } from '../../settings/context.ts';
import { modelById } from '../../settings/models.ts';
import { buildLiveConfig } from '../../settings/payload.ts';
import type { SavedLive } from '../types.ts';

/** The name of a microphone session in the history. */
const MICROPHONE = 'Microphone';

type Session = Pick<SavedLive, 'settings' | 'modelId' | 'source' | 'file' | 'tally'> & { models: readonly Model[] };

/** The request to save a session that has just ended, with its settings. @param tokens the session's words */
export function sessionToSave(
  { settings, models, modelId, source, file, tally }: Session,
  tokens: readonly TranscriptToken[],
): LiveSessionToKeep {
  const model = modelById(models, modelId);
  // Only a context can make this fail; it is added below.
  const built = buildLiveConfig({ ...settings, context: '' }, model);
  const config = 'config' in built ? built.config : {};
  const { language_hints, enable_speaker_diarization, enable_language_identification, translation } = config;
  return {
    model: modelId ?? '',
    filename: source === 'file' && file ? file.name : MICROPHONE,
    audio_duration_ms: Math.round(tally.soundMs),
    request_id: tally.requestId,
    language_hints,
    context: settings.context.trim() === '' ? undefined : asyncContext(settings.context, model),
    enable_speaker_diarization,
    enable_language_identification,
    translation,
    tokens: [...tokens],
  };
}
