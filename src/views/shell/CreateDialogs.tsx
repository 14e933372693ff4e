import { Button, Dialog, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { FormValues } from '#machines/shared/form/types.ts';
import { hasProjectNamed } from '#machines/workspace/select.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { DiscardDialog } from '../ui/DiscardDialog.tsx';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { useSettings, useWorkspace } from '../ui/state.ts';

/**
 * The dialogs that create an organization or a project (ORG-01, PRJ-01). Esc, a click outside, the cross and Cancel all
 * ask the chart, which asks the person before input is lost.
 */
export function CreateDialogs() {
  const workspace = useWorkspace();
  const organizationForm = useSelector(workspace, (snapshot) => snapshot.children.organizationForm);
  const projectForm = useSelector(workspace, (snapshot) => snapshot.children.projectForm);
  return (
    <>
      <ModalDialog
        title="Create organization"
        open={organizationForm !== undefined}
        onClose={() => organizationForm?.send({ type: 'dismiss.requested' })}
      >
        {organizationForm ? <OrganizationForm actor={organizationForm} /> : null}
      </ModalDialog>
      <ModalDialog
        title="Create project"
        open={projectForm !== undefined}
        onClose={() => projectForm?.send({ type: 'dismiss.requested' })}
      >
        {projectForm ? <ProjectForm actor={projectForm} /> : null}
      </ModalDialog>
      <OpenFailedDialog />
    </>
  );
}

function Actions<Values extends FormValues>({ actor }: { actor: FormActor<Values> }) {
  return (
    <>
      <Dialog.Footer p="0" pt="1">
        <Button variant="outline" onClick={() => actor.send({ type: 'dismiss.requested' })}>
          Cancel
        </Button>
        <SubmitButton busy={useSubmitting(actor)} busyLabel="Creating…">
          Create
        </SubmitButton>
      </Dialog.Footer>
      <DiscardDialog actor={actor} />
    </>
  );
}

function OrganizationForm({ actor }: { actor: FormActor<{ name: string; contact_email: string }> }) {
  return (
    <Form actor={actor}>
      <FormField actor={actor} field="name" id="organization-name" label="Name" autoComplete="organization" required />
      <FormField
        actor={actor}
        field="contact_email"
        id="organization-email"
        label="Contact e-mail"
        type="email"
        autoComplete="email"
        required
      />
      <StartingCredit />
      <Actions actor={actor} />
    </Form>
  );
}

/** Who gets the starting credit (LED-05). Renders nothing without prices or starting credit. */
function StartingCredit() {
  const { prices, startingCredit } = useSettings();
  if (!startingCredit || Object.keys(prices).length === 0) return null;
  return (
    <Text fontSize="sm" color="fg.muted">
      You get the starting credit once, with the first organization that you create. Any other starts with a balance of
      $0.00.
    </Text>
  );
}

function ProjectForm({ actor }: { actor: FormActor<{ name: string; description: string }> }) {
  const name = useSelector(actor, ({ context }) => context.values.name);
  const isTaken = useSelector(useWorkspace(), ({ context }) => hasProjectNamed(context, name));
  return (
    <Form actor={actor}>
      <FormField
        actor={actor}
        field="name"
        id="project-name"
        label="Name"
        autoComplete="off"
        news={isTaken ? <span>Another project of the organization has this name.</span> : undefined}
        required
      />
      <FormField
        actor={actor}
        field="description"
        id="project-description"
        label="Description (optional)"
        autoComplete="off"
        rows={3}
      />
      <Actions actor={actor} />
    </Form>
  );
}

/** Shown if a change succeeded but the screen that it leads to could not be opened. */
function OpenFailedDialog() {
  const workspace = useWorkspace();
  const open = useSelector(workspace, (snapshot) => snapshot.hasTag('openFailed'));
  const failure = useSelector(workspace, (snapshot) => snapshot.context.failure);
  return (
    <ModalDialog title="Done, but not opened" open={open} onClose={() => workspace.send({ type: 'dialog.dismissed' })}>
      <FailureAlert failure={failure}>
        <Button size="sm" variant="outline" onClick={() => workspace.send({ type: 'retry.requested' })}>
          Try again
        </Button>
      </FailureAlert>
    </ModalDialog>
  );
}
