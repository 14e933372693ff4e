import { ChevronDown } from 'lucide-react';

type Choice = { code: string; name: string; isDisabled?: boolean };

type Props = {
  id: string;
  label: string;
  value: string | null;
  choices: readonly Choice[];
  onChange: (code: string | null) => void;
  /** The label of an option that selects nothing (null). */
  none?: string;
  isDisabled?: boolean;
  /** Whether only screen readers get the label, for a row of filters whose choices speak for themselves. */
  isCompact?: boolean;
  /** Why it is disabled, or what it is for. */
  hint?: string | null;
  /** Whether a choice is required and still missing. */
  isMissing?: boolean;
};

/** A native select with a label and a hint. */
export function SelectField({
  id,
  label,
  value,
  choices,
  onChange,
  none,
  isDisabled = false,
  isCompact = false,
  hint,
  isMissing = false,
}: Props) {
  return (
    <div data-compact={isCompact || undefined}>
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <div className="select-root">
        <select
          id={id}
          className="select-field"
          disabled={isDisabled}
          data-invalid={isMissing || undefined}
          value={value ?? ''}
          onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value)}
          {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
        >
          {none !== undefined && <option value="">{none}</option>}
          {choices.map(({ code, name, isDisabled: isGrey }) => (
            <option key={code} value={code} dir="auto" disabled={isGrey}>
              {name}
            </option>
          ))}
        </select>
        <div
          className="select-indicator"
          data-disabled={isDisabled || undefined}
          data-invalid={isMissing || undefined}
          aria-hidden
        >
          <ChevronDown />
        </div>
      </div>
      {hint && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
