import { Box, Button, Flex } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Pencil } from 'lucide-react';
import type { Organization } from '#contract/organizations.ts';
import type { DashboardActor } from '#machines/workspace/dashboard/machine.ts';
import { CopyableId } from '../ui/CopyableId.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';

type Props = { organization: Pick<Organization, 'uuid' | 'name'>; dashboard: DashboardActor | undefined };

/** Below an organization's name: its id, and a form that renames it (ONB-08). */
export function OrganizationName({ organization: { uuid, name }, dashboard }: Props) {
  const form = useSelector(dashboard, (snapshot) => snapshot?.children.nameForm);
  const mayRename = useSelector(dashboard, (snapshot) => snapshot?.can({ type: 'rename.requested', name }) ?? false);
  return (
    // This box stays while its contents come and go, so it can take over their focus.
    <Box role="group" aria-label="Organization" data-keeps-focus tabIndex={-1} outline="none">
      {form ? <NameForm actor={form} /> : null}
      <Flex align="center" gap="3" wrap="wrap">
        <CopyableId id={uuid} label="Organization UUID" />
        {mayRename ? (
          <Button size="xs" variant="ghost" onClick={() => dashboard?.send({ type: 'rename.requested', name })}>
            <Pencil size={13} aria-hidden /> Rename
          </Button>
        ) : null}
      </Flex>
    </Box>
  );
}

function NameForm({ actor }: { actor: FormActor<{ name: string }> }) {
  return (
    <Box maxW="420px" mb="4">
      <Form actor={actor}>
        <FormField
          actor={actor}
          field="name"
          id="organization-rename"
          label="Name"
          autoComplete="organization"
          takesFocus
          required
        />
        <Flex gap="3">
          <SubmitButton size="sm" busy={useSubmitting(actor)} busyLabel="Saving…">
            Save
          </SubmitButton>
          <Button size="sm" variant="outline" onClick={() => actor.send({ type: 'dismiss.requested' })}>
            Cancel
          </Button>
        </Flex>
      </Form>
    </Box>
  );
}
