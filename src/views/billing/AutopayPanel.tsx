import { Box, Flex, Heading, SimpleGrid, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { PaymentStatus } from '#contract/paying.ts';
import { type AutopayFields, chargeAtSave } from '#machines/workspace/billing/autopay/form.ts';
import type { PaymentActor } from '#machines/workspace/billing/payment/machine.ts';
import { CheckBox } from '../ui/CheckBox.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { formatAmount } from '../ui/figures.ts';
import { Notice } from '../ui/Notice.tsx';
import { Panel } from '../ui/Panel.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { SetupButton } from './MethodPanel.tsx';

/** Turns autopay on and off, and sets when it charges how much (BIL-07). */
export function AutopayPanel({
  form,
  status,
  payment,
}: {
  form: FormActor<AutopayFields>;
  status: PaymentStatus;
  payment: PaymentActor | undefined;
}) {
  const isOn = useSelector(form, ({ context }) => context.values.enabled === 'on');
  return (
    <Panel as="section" aria-labelledby="autopay">
      <Heading as="h2" id="autopay" fontSize="lg" fontWeight="semibold">
        Autopay
      </Heading>
      <Text mt="1" mb="4" fontSize="sm" color="fg.muted">
        Charges your payment method when the balance runs low, so requests aren't refused.
      </Text>
      {status.method || isOn ? (
        <Fields form={form} status={status} />
      ) : (
        <Flex wrap="wrap" align="center" justify="space-between" columnGap="6" rowGap="4">
          <Text fontSize="sm">Off. Add a payment method to turn autopay on.</Text>
          {payment ? <SetupButton payment={payment} text="Add a payment method" /> : null}
        </Flex>
      )}
    </Panel>
  );
}

function Fields({ form, status }: { form: FormActor<AutopayFields>; status: PaymentStatus }) {
  const charge = useSelector(form, ({ context }) => chargeAtSave(context.values, status));
  const isOn = useSelector(form, ({ context }) => context.values.enabled === 'on');
  const error = useSelector(form, ({ context }) => context.errors.enabled);
  return (
    <Form actor={form}>
      <Box>
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
          hint="Minimum $5.00. We charge more if that's what it takes to reach the threshold."
          required
        />
      </SimpleGrid>
      <Box aria-live="polite" _empty={{ display: 'none' }}>
        {charge === null ? null : (
          <Notice
            tone="warning"
            title={`Your balance is low: ${formatAmount(charge)} is charged as soon as you save.`}
          />
        )}
      </Box>
      <Box>
        <SubmitButton busy={useSubmitting(form)} busyLabel="Saving…">
          {charge === null ? (isOn ? 'Save autopay' : 'Save') : `Save autopay and charge ${formatAmount(charge)}`}
        </SubmitButton>
      </Box>
    </Form>
  );
}
