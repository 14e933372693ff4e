import { Box, Button, Flex, Heading, Skeleton } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { may } from '#contract/roles.ts';
import type { OrganizationSettingsActor } from '#machines/workspace/settings/organization/machine.ts';
import { CopyableId } from '../ui/CopyableId.tsx';
import { DeletionPanel } from '../ui/DeletionPanel.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { useWorkspace } from '../ui/state.ts';

/** Name and contact e-mail of an organization, and deleting it (ORG-06). */
export function OrganizationSettingsPage() {
  const actor = useSelector(useWorkspace(), (snapshot) => snapshot.children.organizationSettings);
  return <Page heading="Organization settings">{actor ? <Settings actor={actor} /> : null}</Page>;
}

function Settings({ actor }: { actor: OrganizationSettingsActor }) {
  const { failure, organization, role } = useSelector(actor, ({ context }) => context);
  const hasFailed = useSelector(actor, (snapshot) => snapshot.hasTag('failed'));
  const detailsForm = useSelector(actor, (snapshot) => snapshot.children.detailsForm);
  if (hasFailed)
    return (
      <FailureAlert failure={failure} title="The settings could not be loaded.">
        <Button size="sm" variant="outline" onClick={() => actor.send({ type: 'retry.requested' })}>
          Retry
        </Button>
      </FailureAlert>
    );
  if (!organization)
    return <Skeleton height="240px" maxW="560px" borderRadius="l3" aria-label="Loading the settings" />;
  return (
    <Flex direction="column" gap="6" maxW="560px">
      <Panel as="section" aria-labelledby="details">
        <Heading as="h2" id="details" mb="1" fontSize="lg" fontWeight="semibold">
          Details
        </Heading>
        <Box mb="5">
          <CopyableId id={organization.uuid} label="Organization UUID" />
        </Box>
        {detailsForm ? <DetailsForm form={detailsForm} /> : null}
      </Panel>
      {may(role, 'organization.delete') ? <Deletion actor={actor} name={organization.name} /> : null}
    </Flex>
  );
}

function DetailsForm({ form }: { form: FormActor<{ orgUuid: string; name: string; contact_email: string }> }) {
  return (
    <Form actor={form}>
      <FormField actor={form} field="name" id="settings-name" label="Name" autoComplete="organization" required />
      <FormField
        actor={form}
        field="contact_email"
        id="settings-email"
        label="Contact e-mail"
        type="email"
        autoComplete="email"
        required
      />
      <Box>
        <SubmitButton busy={useSubmitting(form)} busyLabel="Saving…">
          Save
        </SubmitButton>
      </Box>
    </Form>
  );
}

function Deletion({ actor, name }: { actor: OrganizationSettingsActor; name: string }) {
  const form = useSelector(actor, (snapshot) => snapshot.children.deletionForm);
  return (
    <DeletionPanel
      what="organization"
      name={name}
      contents="All of its projects, recordings, transcriptions and API keys"
      form={form}
      onDelete={() => actor.send({ type: 'deletion.requested' })}
    />
  );
}
