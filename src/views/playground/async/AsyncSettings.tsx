import { useSelector } from '@xstate/react';
import { asyncModel } from '#machines/playground/async/context.ts';
import { asyncTranslation, type AsyncPatch } from '#machines/playground/settings/change.ts';
import { asyncModels } from '#machines/playground/settings/models.ts';
import { ContextField } from '../fields/ContextField.tsx';
import { EventDetection } from '../fields/EventDetection.tsx';
import { LanguageHints } from '../fields/LanguageHints.tsx';
import { SelectField } from '../../ui/SelectField.tsx';
import { SwitchField } from '../../ui/SwitchField.tsx';
import { TranslationFields } from '../fields/TranslationFields.tsx';
import { useContextProblem } from './refusal.ts';
import { useAsyncSide } from '../state.ts';

/** The settings of a transcription (ASY-11). */
export function AsyncSettings() {
  const asyncSide = useAsyncSide();
  const models = useSelector(asyncSide, (snapshot) => snapshot.context.models);
  const modelId = useSelector(asyncSide, (snapshot) => snapshot.context.modelId);
  const settings = useSelector(asyncSide, (snapshot) => snapshot.context.settings);
  const model = asyncModel({ models, modelId });
  const problem = useContextProblem(asyncSide);
  const change = (patch: AsyncPatch) => asyncSide.send({ type: 'settings.changed', patch });
  return (
    <div className="settings">
      <SelectField
        id="async-model"
        label="Model"
        value={modelId}
        choices={asyncModels(models).map(({ id, name }) => ({ code: id, name }))}
        onChange={(id) => {
          if (id) asyncSide.send({ type: 'model.selected', modelId: id });
        }}
      />
      <LanguageHints
        model={model}
        hints={settings.language_hints}
        onChange={(hints) => change({ language_hints: hints })}
      />
      <div className="settings-group">
        <SwitchField
          id="async-diarization"
          label="Speaker diarization"
          isOn={settings.enable_speaker_diarization}
          onChange={(isOn) => change({ enable_speaker_diarization: isOn })}
        />
        <SwitchField
          id="async-language"
          label="Language identification"
          isOn={settings.enable_language_identification}
          onChange={(isOn) => change({ enable_language_identification: isOn })}
        />
        <EventDetection
          id="async-events"
          model={model}
          isOn={settings.enable_audio_event_detection}
          onChange={(isOn) => change({ enable_audio_event_detection: isOn })}
        />
      </div>
      <ContextField
        id="async-context"
        model={model}
        value={settings.context}
        problem={problem}
        onChange={(context) => change({ context })}
      />
      <TranslationFields
        model={model}
        choice={asyncTranslation(settings)}
        locked={null}
        send={(event) => asyncSide.send(event)}
      />
    </div>
  );
}
