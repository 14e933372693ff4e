type Props = {
  id: string;
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  isDisabled?: boolean;
  /** Why it is disabled. */
  hint?: string | null;
};

/** A switch with a label and a hint. */
export function SwitchField({ id, label, isOn, onChange, isDisabled = false, hint }: Props) {
  return (
    <div>
      <label className="switch switch-root">
        <span className="switch-label" data-disabled={isDisabled || undefined}>
          {label}
        </span>
        <input
          id={id}
          type="checkbox"
          className="sr-only"
          checked={isOn}
          disabled={isDisabled}
          onChange={({ currentTarget }) => onChange(currentTarget.checked)}
          {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
        />
        <span
          className="switch-control"
          data-checked={isOn || undefined}
          data-disabled={isDisabled || undefined}
          aria-hidden
        >
          <span className="switch-thumb" data-checked={isOn || undefined} />
        </span>
      </label>
      {hint && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
