import { Box, NativeSelect, Text, chakra } from '@chakra-ui/react';

type Choice = { code: string; name: string };

type Props = {
  id: string;
  label: string;
  value: string | null;
  choices: readonly Choice[];
  onChange: (code: string | null) => void;
  /** The label of an option that selects nothing (null). */
  none?: string;
  isDisabled?: boolean;
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
  hint,
  isMissing = false,
}: Props) {
  return (
    <Box>
      <chakra.label htmlFor={id} display="block" mb="1.5" fontSize="sm" fontWeight="medium">
        {label}
      </chakra.label>
      <NativeSelect.Root disabled={isDisabled} invalid={isMissing} size="md">
        <NativeSelect.Field
          id={id}
          bg="bg"
          value={value ?? ''}
          onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? null : currentTarget.value)}
          {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
        >
          {none !== undefined && <option value="">{none}</option>}
          {choices.map(({ code, name }) => (
            <option key={code} value={code} dir="auto">
              {name}
            </option>
          ))}
        </NativeSelect.Field>
        <NativeSelect.Indicator aria-hidden />
      </NativeSelect.Root>
      {hint && (
        <Text id={`${id}-hint`} mt="1.5" fontSize="xs" color="fg.muted">
          {hint}
        </Text>
      )}
    </Box>
  );
}
