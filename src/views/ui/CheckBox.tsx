import type { ComponentProps } from 'react';

type Props = Pick<ComponentProps<'input'>, 'id' | 'checked' | 'children'> & {
  onToggle: (isChecked: boolean) => void;
  isInvalid?: boolean;
};

/** A native checkbox with a label, in the console's colours. */
export function CheckBox({ id, checked, children, onToggle, isInvalid = false }: Props) {
  return (
    <label className="check-box">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-invalid={isInvalid || undefined}
        onChange={({ currentTarget }) => onToggle(currentTarget.checked)}
      />
      <span>{children}</span>
    </label>
  );
}
