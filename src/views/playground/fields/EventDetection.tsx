import type { Model } from '#contract/models.ts';
import { detectsEvents } from '#machines/playground/settings/choices.ts';
import { SwitchField } from '../../ui/SwitchField.tsx';

type Props = {
  id: string;
  model: Model | null;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean;
};

/** Turns on the detection of laughter, applause and the like, if the model supports it. */
export function EventDetection({ id, model, isOn, onChange, isDisabled = false }: Props) {
  const isSupported = detectsEvents(model);
  return (
    <SwitchField
      id={id}
      label="Audio event detection"
      isOn={isOn}
      onChange={onChange}
      isDisabled={isDisabled || !isSupported}
      hint={isSupported ? null : 'This model does not detect audio events.'}
    />
  );
}
