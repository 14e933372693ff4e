import { Box, Button, Dialog, Flex, Heading, Skeleton, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { may } from '#contract/roles.ts';
import type { OrganizationSettingsActor } from '#machines/organizationSettings/machine.ts';
import { CopyableId } from '../ui/CopyableId.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { ModalDialog } from '../ui/ModalDialog.tsx';
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
  if (!organization) return <Skeleton height="240px" maxW="560px" borderRadius="l3" aria-label="Loading the settings" />;
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
      <FormField actor={form} field="contact_email" id="settings-email" label="Contact e-mail" type="email" autoComplete="email" required />
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
    <Panel as="section" aria-labelledby="deletion" borderColor="border.error">
      <Heading as="h2" id="deletion" mb="2" fontSize="lg" fontWeight="semibold">
        Delete this organization
      </Heading>
      <Text mb="4" fontSize="sm" color="fg.muted">
        All of its projects, recordings, transcriptions and API keys go with it, for everybody. This cannot be undone.
      </Text>
      <Button variant="outline" colorPalette="red" onClick={() => actor.send({ type: 'deletion.requested' })}>
        Delete organization
      </Button>
      <ModalDialog title="Delete this organization?" open={form !== undefined} onClose={() => form?.send({ type: 'dismiss.requested' })}>
        {form ? <DeletionForm form={form} name={name} /> : null}
      </ModalDialog>
    </Panel>
  );
}

function DeletionForm({ form, name }: { form: FormActor<{ orgUuid: string; name: string; typed: string }>; name: string }) {
  return (
    <Form actor={form}>
      <Text fontSize="sm" color="fg.muted">
        <Text as="strong" color="fg" overflowWrap="anywhere">
          <bdi>{name}</bdi>
        </Text>{' '}
        and everything in it is deleted, for everybody, for good.
      </Text>
      <FormField actor={form} field="typed" id="deletion-name" label="Type the name of the organization to confirm" autoComplete="off" required takesFocus />
      <Dialog.Footer p="0" pt="1">
        <Button variant="outline" onClick={() => form.send({ type: 'dismiss.requested' })}>
          Cancel
        </Button>
        <SubmitButton colorPalette="red" busy={useSubmitting(form)} busyLabel="Deleting…">
          Delete
        </SubmitButton>
      </Dialog.Footer>
    </Form>
  );
}
