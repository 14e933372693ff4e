import type { Model } from '#contract/models.ts';
import type { LiveSessionToKeep, TranscriptToken } from '#contract/transcriptions.ts';
import { asyncContext } from '../../settings/context.ts';
import { modelById } from '../../settings/models.ts';
import { buildLiveConfig } from '../../settings/payload.ts';
import type { SavedLive } from '../types.ts';

/** What a session without a file is called in the history. */
const MICROPHONE = 'Microphone';

type Session = Pick<SavedLive, 'settings' | 'modelId' | 'source' | 'file' | 'tally'> & { models: readonly Model[] };

/** A session that has just ended, with the settings that it was run with. @param tokens what was said in it */
export function sessionToSave(
  { settings, models, modelId, source, file, tally }: Session,
  tokens: readonly TranscriptToken[],
): LiveSessionToKeep {
  const model = modelById(models, modelId);
  // Only a context can be wrong, and that goes on its own.
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
