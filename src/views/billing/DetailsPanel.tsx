import { Box, Heading, Text } from '@chakra-ui/react';
import type { BillingDetails } from '#contract/billing.ts';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { Panel } from '../ui/Panel.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';

/** The name, address and tax ID on receipts. */
export function DetailsPanel({ form }: { form: FormActor<BillingDetails> }) {
  return (
    <Panel as="section" aria-labelledby="billing-details">
      <Heading as="h2" id="billing-details" fontSize="lg" fontWeight="semibold">
        Billing details
      </Heading>
      <Text mt="1" mb="4" fontSize="sm" color="fg.muted">
        Shown on your receipts. Leave the name empty to use the name of the organization.
      </Text>
      <Form actor={form}>
        <FormField actor={form} field="name" id="billing-name" label="Name" autoComplete="organization" />
        <FormField
          actor={form}
          field="address"
          id="billing-address"
          label="Address"
          autoComplete="street-address"
          rows={3}
        />
        <FormField
          actor={form}
          field="tax_id"
          id="billing-tax-id"
          label="Tax ID"
          autoComplete="off"
          hint="For example a VAT number with its country code."
        />
        <Box>
          <SubmitButton busy={useSubmitting(form)} busyLabel="Saving…">
            Save details
          </SubmitButton>
        </Box>
      </Form>
    </Panel>
  );
}
