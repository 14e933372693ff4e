import { Box, Flex, Heading } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { Failure } from '#machines/shared/failure.ts';
import type { PlaceFields } from '#machines/workspace/settings/place/actors.ts';
import type { SettingsActor } from '#machines/workspace/settings/place/machine.ts';
import { FORM_WIDTH } from '../../theme/measures.ts';
import { CopyableId } from './CopyableId.tsx';
import { DeletionPanel, type Deletion } from './DeletionPanel.tsx';
import { FailureAlert } from './FailureAlert.tsx';
import { RetryButton } from './RetryButton.tsx';
import { Form, type FormActor, FormField, useSubmitting } from './Form.tsx';
import { Panel } from './Panel.tsx';
import { SubmitButton } from './SubmitButton.tsx';
import type { TextFieldProps } from './TextField.tsx';
import { Waiting } from './Waiting.tsx';

type Field = Pick<TextFieldProps, 'id' | 'label' | 'type' | 'autoComplete' | 'required' | 'rows'> & { field: string };

/** Fields and texts for the settings of one kind of place. */
export type PlaceSettingsLook = {
  idLabel: string;
  fields: readonly Field[];
  deletion: Deletion;
  /** The failure to show if the settings could not be loaded. */
  failed: (failure: Failure | null) => { failure: Failure | null; title?: string };
};

type Props = PlaceSettingsLook & {
  actor: SettingsActor;
  /** Further settings between the fields and the deletion. */
  children?: ReactNode;
};

/** The settings of an organization or a project: its fields and its deletion (ORG-06, PRJ-02). */
export function PlaceSettings({ actor, idLabel, fields, deletion, failed, children }: Props) {
  const { failure, details } = useSelector(actor, ({ context }) => context);
  const hasFailed = useSelector(actor, (snapshot) => snapshot.hasTag('failed'));
  const isOutdated = useSelector(actor, (snapshot) => snapshot.hasTag('outdated'));
  const isDeletable = useSelector(actor, (snapshot) => snapshot.hasTag('deletable'));
  const form = useSelector(actor, (snapshot) => snapshot.children.detailsForm);
  const retry = <RetryButton actor={actor} />;
  if (hasFailed) return <FailureAlert {...failed(failure)}>{retry}</FailureAlert>;
  if (!details) return <Waiting height="240px" maxW={FORM_WIDTH} label="Loading the settings" />;
  return (
    <Flex direction="column" gap="6" maxW={FORM_WIDTH}>
      {isOutdated ? (
        <FailureAlert failure={failure} title="Someone else changed these settings, and they couldn't be loaded again.">
          {retry}
        </FailureAlert>
      ) : null}
      <Panel as="section" aria-labelledby="details">
        <Heading as="h2" id="details" mb="1" fontSize="lg" fontWeight="semibold">
          Details
        </Heading>
        <Box mb="5">
          <CopyableId id={details.uuid} label={idLabel} />
        </Box>
        {form ? <DetailsForm form={form} fields={fields} /> : null}
      </Panel>
      {children}
      {isDeletable ? <DeletionPanel {...deletion} name={details.fields.name} actor={actor} /> : null}
    </Flex>
  );
}

function DetailsForm({ form, fields }: { form: FormActor<PlaceFields>; fields: readonly Field[] }) {
  return (
    <Form actor={form}>
      {fields.map((field) => (
        <FormField key={field.field} actor={form} {...field} />
      ))}
      <Box>
        <SubmitButton busy={useSubmitting(form)} busyLabel="Saving…">
          Save
        </SubmitButton>
      </Box>
    </Form>
  );
}
