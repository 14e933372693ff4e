import { Stack } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { liveModel } from '#machines/playground/live/select.ts';
import { liveTranslation, type LivePatch } from '#machines/playground/settings/change.ts';
import { ContextField } from '../fields/ContextField.tsx';
import { EventDetection } from '../fields/EventDetection.tsx';
import { LanguageHints } from '../fields/LanguageHints.tsx';
import { SelectField } from '../../ui/SelectField.tsx';
import { SwitchField } from '../../ui/SwitchField.tsx';
import { TranslationFields } from '../fields/TranslationFields.tsx';
import { useLive } from '../state.ts';
import { Section } from './Section.tsx';

/** Why settings cannot be changed during a session (LIV-06). */
const LOCKED = 'Stop the session to change the settings.';

/** The settings of a live session (LIV-24), locked while it runs. */
export function LiveSettings() {
  const live = useLive();
  const locked = useSelector(live, (snapshot) => (snapshot.hasTag('stopped') ? null : LOCKED));
  return (
    <>
      <Section title="Transcription settings" hint={locked}>
        <Transcription isLocked={locked !== null} />
      </Section>
      <Section title="Translation settings">
        <Translation locked={locked} />
      </Section>
    </>
  );
}

function Transcription({ isLocked }: { isLocked: boolean }) {
  const live = useLive();
  const models = useSelector(live, ({ context }) => context.models);
  const model = useSelector(live, liveModel);
  const settings = useSelector(live, ({ context }) => context.settings);
  const problem = useSelector(live, ({ context }) => context.error?.contextProblem ?? null);
  const change = (patch: LivePatch) => live.send({ type: 'settings.changed', patch });
  return (
    <Stack gap="5">
      <SelectField
        id="live-model"
        label="Model"
        value={model?.id ?? null}
        choices={models.map(({ id, name }) => ({ code: id, name }))}
        isDisabled={isLocked}
        onChange={(modelId) => {
          if (modelId) live.send({ type: 'model.selected', modelId });
        }}
      />
      <LanguageHints
        model={model}
        hints={settings.languageHints}
        isDisabled={isLocked}
        onChange={(languageHints) => change({ languageHints })}
      />
      <Stack gap="3">
        <SwitchField
          id="live-diarization"
          label="Speaker diarization"
          isOn={settings.enableSpeakerDiarization}
          isDisabled={isLocked}
          onChange={(enableSpeakerDiarization) => change({ enableSpeakerDiarization })}
        />
        <SwitchField
          id="live-language"
          label="Language identification"
          isOn={settings.enableLanguageIdentification}
          isDisabled={isLocked}
          onChange={(enableLanguageIdentification) => change({ enableLanguageIdentification })}
        />
        <EventDetection
          id="live-events"
          model={model}
          isOn={settings.enableAudioEventDetection}
          isDisabled={isLocked}
          onChange={(enableAudioEventDetection) => change({ enableAudioEventDetection })}
        />
        <SwitchField
          id="live-endpoints"
          label="Endpoint detection"
          isOn={settings.enableEndpointDetection}
          isDisabled={isLocked}
          onChange={(enableEndpointDetection) => change({ enableEndpointDetection })}
        />
      </Stack>
      <ContextField
        id="live-context"
        model={model}
        value={settings.context}
        problem={problem}
        isDisabled={isLocked}
        onChange={(context) => change({ context })}
      />
    </Stack>
  );
}

function Translation({ locked }: { locked: string | null }) {
  const live = useLive();
  const model = useSelector(live, liveModel);
  const settings = useSelector(live, ({ context }) => context.settings);
  return (
    <TranslationFields
      model={model}
      choice={liveTranslation(settings)}
      locked={locked}
      send={(event) => live.send(event)}
    />
  );
}
