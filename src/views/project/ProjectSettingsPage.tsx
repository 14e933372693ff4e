import { Box, Button, Dialog, Flex, Heading, Skeleton, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ProjectSettingsActor } from '#machines/projectSettings/machine.ts';
import { PROJECT_FAILED } from '#machines/workspace/texts.ts';
import { CopyableId } from '../ui/CopyableId.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { Page } from '../ui/Page.tsx';
import { Panel } from '../ui/Panel.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { useWorkspace } from '../ui/state.ts';
import { ProjectPeople } from './ProjectPeople.tsx';

/** Name and description of a project, who reaches it, and deleting it (PRJ-02). */
export function ProjectSettingsPage() {
  const actor = useSelector(useWorkspace(), (snapshot) => snapshot.children.projectSettings);
  return <Page heading="Project settings">{actor ? <Settings actor={actor} /> : null}</Page>;
}

function Settings({ actor }: { actor: ProjectSettingsActor }) {
  const { failure, project } = useSelector(actor, ({ context }) => context);
  const hasFailed = useSelector(actor, (snapshot) => snapshot.hasTag('failed'));
  const form = useSelector(actor, (snapshot) => snapshot.children.projectDetailsForm);
  const people = useSelector(actor, (snapshot) => snapshot.children.projectPeople);
  if (hasFailed)
    return (
      <FailureAlert failure={{ message: PROJECT_FAILED, ...(failure?.requestId ? { requestId: failure.requestId } : {}) }}>
        <Button size="sm" variant="outline" onClick={() => actor.send({ type: 'retry.requested' })}>
          Retry
        </Button>
      </FailureAlert>
    );
  if (!project) return <Skeleton height="240px" maxW="720px" borderRadius="l3" aria-label="Loading the settings" />;
  return (
    <Flex direction="column" gap="6" maxW="720px">
      <Panel as="section" aria-labelledby="details">
        <Heading as="h2" id="details" mb="1" fontSize="lg" fontWeight="semibold">
          Details
        </Heading>
        <Box mb="5">
          <CopyableId id={project.uuid} label="Project UUID" />
        </Box>
        {form ? <DetailsForm form={form} /> : null}
      </Panel>
      {people ? <ProjectPeople actor={people} /> : null}
      <Deletion actor={actor} name={project.name} />
    </Flex>
  );
}

function DetailsForm({ form }: { form: FormActor<{ projectUuid: string; name: string; description: string }> }) {
  return (
    <Form actor={form}>
      <FormField actor={form} field="name" id="settings-name" label="Name" autoComplete="off" required />
      <FormField actor={form} field="description" id="settings-description" label="Description (optional)" autoComplete="off" rows={3} />
      <Box>
        <SubmitButton busy={useSubmitting(form)} busyLabel="Saving…">
          Save
        </SubmitButton>
      </Box>
    </Form>
  );
}

function Deletion({ actor, name }: { actor: ProjectSettingsActor; name: string }) {
  const form = useSelector(actor, (snapshot) => snapshot.children.projectDeletionForm);
  return (
    <Panel as="section" aria-labelledby="deletion" borderColor="border.error">
      <Heading as="h2" id="deletion" mb="2" fontSize="lg" fontWeight="semibold">
        Delete this project
      </Heading>
      <Text mb="4" fontSize="sm" color="fg.muted">
        Its recordings, transcriptions and API keys go with it, for everybody. This cannot be undone.
      </Text>
      <Button variant="outline" colorPalette="red" onClick={() => actor.send({ type: 'deletion.requested' })}>
        Delete project
      </Button>
      <ModalDialog title="Delete this project?" open={form !== undefined} onClose={() => form?.send({ type: 'dismiss.requested' })}>
        {form ? <DeletionForm form={form} name={name} /> : null}
      </ModalDialog>
    </Panel>
  );
}

function DeletionForm({ form, name }: { form: FormActor<{ projectUuid: string; name: string; typed: string }>; name: string }) {
  return (
    <Form actor={form}>
      <Text fontSize="sm" color="fg.muted">
        <Text as="strong" color="fg" overflowWrap="anywhere">
          <bdi>{name}</bdi>
        </Text>{' '}
        and everything in it is deleted, for everybody, for good. Programs that use its keys stop working.
      </Text>
      <FormField actor={form} field="typed" id="deletion-name" label="Type the name of the project to confirm" autoComplete="off" required takesFocus />
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
