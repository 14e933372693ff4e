import { Box, Heading, SimpleGrid, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { AutopayFields } from '#machines/workspace/billing/autopay/form.ts';
import { CheckBox } from '../ui/CheckBox.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { Panel } from '../ui/Panel.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';

/** Turns autopay on and off, and sets when it charges how much (BIL-07). */
export function AutopayPanel({ form, hasMethod }: { form: FormActor<AutopayFields>; hasMethod: boolean }) {
  const enabled = useSelector(form, ({ context }) => context.values.enabled);
  const error = useSelector(form, ({ context }) => context.errors.enabled);
  const isOn = enabled === 'on';
  return (
    <Panel as="section" aria-labelledby="autopay">
      <Heading as="h2" id="autopay" fontSize="lg" fontWeight="semibold">
        Autopay
      </Heading>
      <Text mt="1" mb="4" fontSize="sm" color="fg.muted">
        Charges your payment method when the balance runs low, so requests aren't refused.
      </Text>
      <Form actor={form}>
        <Box>
          {hasMethod || isOn ? (
            <CheckBox
              id="autopay-enabled"
              checked={isOn}
              isInvalid={error !== undefined}
              onToggle={(isChecked) =>
                form.send({ type: 'field.changed', field: 'enabled', value: isChecked ? 'on' : 'off' })
              }
            >
              Charge automatically
            </CheckBox>
          ) : (
            <Text fontSize="sm">Off. Set up a payment method to turn autopay on.</Text>
          )}
          <Box aria-live="polite" fontSize="sm" color="fg.error">
            {error ? <Box mt="1.5">{error}</Box> : null}
          </Box>
        </Box>
        <SimpleGrid gap="5" columns={{ base: 1, md: 2 }}>
          <FormField
            actor={form}
            field="threshold"
            id="autopay-threshold"
            label="When the balance falls below (USD)"
            inputMode="decimal"
            autoComplete="off"
            hint="Autopay also charges when the balance is too low for a request."
            required
          />
          <FormField
            actor={form}
            field="amount"
            id="autopay-amount"
            label="Charge (USD)"
            inputMode="decimal"
            autoComplete="off"
            hint="At least 5.00. More is charged if it takes more to reach the threshold."
            required
          />
        </SimpleGrid>
        <Box>
          <SubmitButton busy={useSubmitting(form)} busyLabel="Saving…">
            {isOn ? 'Save autopay' : 'Save'}
          </SubmitButton>
        </Box>
      </Form>
    </Panel>
  );
}
