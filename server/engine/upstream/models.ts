import * as v from 'valibot';
import { ModelList, type Model } from '#contract/models.ts';
import type { ModelAbilities } from '../port.ts';
import type { UpstreamClient } from './client.ts';
import type { UpstreamErrors } from './errors.ts';

type Mode = Model['transcription_mode'];

/** The upstream's model for each mode; a mode without one is left out. */
export type ChosenModels = Partial<Record<Mode, Model>>;

/**
 * Asks the upstream for its models, and picks one for each mode.
 * @param wanted ids from the settings; without one, the first model that is no alias
 * @throws EngineError, 'model_missing' if a wanted model is missing, or there is none at all
 */
export async function chooseModels(
  client: UpstreamClient,
  errors: UpstreamErrors,
  wanted: Partial<Record<Mode, string>>,
): Promise<ChosenModels> {
  const { models } = await client.get('/models', ModelList);
  const chosen: ChosenModels = {};
  for (const mode of ['real_time', 'async'] as const) {
    const fitting = models.filter((model) => model.transcription_mode === mode);
    const model =
      wanted[mode] === undefined
        ? fitting.find(({ aliased_model_id }) => aliased_model_id === null)
        : fitting.find(({ id }) => id === wanted[mode]);
    if (model !== undefined) chosen[mode] = model;
    else if (wanted[mode] !== undefined) throw errors.modelMissing(mode === 'async' ? 'file' : 'live', wanted[mode]);
  }
  if (chosen.real_time === undefined && chosen.async === undefined)
    throw errors.modelMissing('speech-to-text', undefined);
  return chosen;
}

const Abilities = v.omit(v.object(ModelList.entries.models.item.entries), [
  'id',
  'name',
  'aliased_model_id',
  'transcription_mode',
]);

/** A model's abilities, without its names and without those that the engine's port cannot ask for. */
export const abilitiesOf = (model: Model): ModelAbilities => ({
  ...v.parse(Abilities, model),
  supports_audio_event_detection: false,
});
