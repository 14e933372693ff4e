import { Box, Switch, Text } from '@chakra-ui/react';

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
    <Box>
      <Switch.Root
        checked={isOn}
        disabled={isDisabled}
        onCheckedChange={({ checked }) => onChange(checked)}
        ids={{ hiddenInput: id }}
        display="flex"
        justifyContent="space-between"
        width="full"
        gap="3"
      >
        <Switch.Label fontSize="sm" fontWeight="medium">
          {label}
        </Switch.Label>
        <Switch.HiddenInput {...(hint ? { 'aria-describedby': `${id}-hint` } : {})} />
        <Switch.Control>
          <Switch.Thumb />
        </Switch.Control>
      </Switch.Root>
      {hint && (
        <Text id={`${id}-hint`} mt="1" fontSize="xs" color="fg.muted">
          {hint}
        </Text>
      )}
    </Box>
  );
}
