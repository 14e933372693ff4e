import { Button, Dialog, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ComponentType, ReactNode } from 'react';
import type { SettingsActor } from '#machines/workspace/settings/place/machine.ts';
import { Form, type FormActor, FormField, useSubmitting } from './Form.tsx';
import { ModalDialog } from './ModalDialog.tsx';
import { Panel } from './Panel.tsx';
import { SubmitButton } from './SubmitButton.tsx';

/** The texts of a deletion. */
export type Deletion = {
  /** What is deleted, as a word within a sentence. */
  what: 'organization' | 'project';
  /** What is deleted along with it; the sentence continues with "go with it". */
  contents: string;
  /** A further warning, as a sentence. */
  warning: string;
  /** Wraps the form in the dialog, and shows something before there is a form. */
  Around?: ComponentType<AroundProps>;
};
export type AroundProps = { actor: SettingsActor; onClose: () => void; children: ReactNode };
type Props = Deletion & { name: string; actor: SettingsActor };

/** Deletes an organization or a project, once the person has typed its name. */
export function DeletionPanel({ what, contents, actor, Around, ...rest }: Props) {
  const isOpen = useSelector(actor, (snapshot) => snapshot.hasTag('dialog'));
  const form = useSelector(actor, (snapshot) => snapshot.children.deletionForm);
  const dismiss = () => {
    if (form) form.send({ type: 'dismiss.requested' });
    else actor.send({ type: 'deletion.dismissed' });
  };
  const question = form ? <DeletionForm what={what} form={form} {...rest} /> : null;
  return (
    <Panel as="section" aria-labelledby="deletion" borderColor="border.error">
      <Heading as="h2" id="deletion" mb="2" fontSize="lg" fontWeight="semibold">
        {`Delete this ${what}`}
      </Heading>
      <Text mb="4" fontSize="sm" color="fg.muted">
        {`${contents} go with it, for everyone. This can't be undone.`}
      </Text>
      <Button variant="outline" colorPalette="red" onClick={() => actor.send({ type: 'deletion.requested' })}>
        {`Delete ${what}`}
      </Button>
      <ModalDialog title={`Delete this ${what}?`} open={isOpen} onClose={dismiss}>
        {Around ? (
          <Around actor={actor} onClose={dismiss}>
            {question}
          </Around>
        ) : (
          question
        )}
      </ModalDialog>
    </Panel>
  );
}

type FormProps = Pick<Props, 'what' | 'name' | 'warning'> & { form: FormActor<{ typed: string }> };

function DeletionForm({ what, name, warning, form }: FormProps) {
  return (
    <Form actor={form}>
      <Text fontSize="sm" color="fg.muted">
        <Text as="strong" color="fg" overflowWrap="anywhere">
          <bdi>{name}</bdi>
        </Text>{' '}
        <span>{`and everything in it will be deleted for everyone, permanently. ${warning}`}</span>
      </Text>
      <FormField
        actor={form}
        field="typed"
        id="deletion-name"
        label={`Type the name of the ${what} to confirm`}
        autoComplete="off"
        required
        takesFocus
      />
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
