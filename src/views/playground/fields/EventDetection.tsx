import type { Model } from '#contract/models.ts';
import { detectsEvents } from '#machines/playground/settings/choices.ts';
import { SwitchField } from './SwitchField.tsx';

type Props = {
  id: string;
  model: Model | null;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean;
};

/** Laughter, applause and the like; only where the model says that it hears them. */
export function EventDetection({ id, model, isOn, onChange, isDisabled = false }: Props) {
  const isAble = detectsEvents(model);
  return (
    <SwitchField
      id={id}
      label="Audio event detection"
      isOn={isOn}
      onChange={onChange}
      isDisabled={isDisabled || !isAble}
      hint={isAble ? null : 'This model does not detect audio events.'}
    />
  );
}
