import { Box, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { PASSWORD_MIN } from '#contract/passwords.ts';
import type { Advice, FormValues } from '#machines/shared/form/types.ts';
import { type FormActor, FormField } from './Form.tsx';

type Props<Values extends FormValues> = {
  actor: FormActor<Values>;
  field: keyof Values & string;
  id: string;
  label: string;
  takesFocus?: boolean;
};

/** A field for a new password, with its strength and advice below (SEC-06). */
export function NewPasswordField<Values extends FormValues>({
  actor,
  field,
  id,
  label,
  takesFocus = false,
}: Props<Values>) {
  const advice = useSelector(actor, ({ context }) => context.advice);
  const hasError = useSelector(actor, ({ context }) => context.errors[field] !== undefined);
  return (
    <Box>
      <FormField
        actor={actor}
        field={field}
        id={id}
        label={label}
        type="password"
        autoComplete="new-password"
        hint={`At least ${PASSWORD_MIN} characters. A few unrelated words work well.`}
        takesFocus={takesFocus}
        required
      />
      <Box role="status" aria-label="Strength of the password" fontSize="sm">
        {/* Without the title if the field's error already says that the password is refused. */}
        {advice && !(hasError && advice.text === '') ? (
          <Strength {...advice} title={hasError && advice.isRefused ? '' : advice.title} />
        ) : null}
      </Box>
    </Box>
  );
}

function Strength({ isRefused, title, text }: Advice) {
  return (
    <Text mt="1.5" color="fg.muted" overflowWrap="anywhere">
      {title ? (
        <Text as="strong" fontWeight="semibold" color={isRefused ? 'fg.error' : 'fg.success'}>
          {text ? `${title}: ` : title}
        </Text>
      ) : null}
      <span>{text}</span>
    </Text>
  );
}
