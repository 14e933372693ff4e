import { Box, Button, Flex, Heading, Skeleton } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ProjectSettingsActor } from '#machines/workspace/settings/project/machine.ts';
import { PROJECT_FAILED } from '#machines/workspace/texts.ts';
import { CopyableId } from '../ui/CopyableId.tsx';
import { DeletionPanel } from '../ui/DeletionPanel.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
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
      <FailureAlert failure={{ ...failure, message: PROJECT_FAILED }}>
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
      <FormField
        actor={form}
        field="description"
        id="settings-description"
        label="Description (optional)"
        autoComplete="off"
        rows={3}
      />
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
    <DeletionPanel
      what="project"
      name={name}
      contents="Its recordings, transcriptions and API keys"
      warning="Programs that use its keys stop working."
      form={form}
      onDelete={() => actor.send({ type: 'deletion.requested' })}
    />
  );
}
