import { Button, Dialog, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ComponentType, ReactNode } from 'react';
import type { SettingsActor } from '#machines/workspace/settings/place/machine.ts';
import { Form, type FormActor, FormField, useSubmitting } from './Form.tsx';
import { ModalDialog } from './ModalDialog.tsx';
import { Panel } from './Panel.tsx';
import { SubmitButton } from './SubmitButton.tsx';

/** The words of a deletion. */
export type Deletion = {
  /** What is deleted, as a word of a sentence. */
  what: 'organization' | 'project';
  /** What goes with it, up to "go with it". */
  contents: string;
  /** What else people should know, in a sentence. */
  warning?: string;
  /** What the dialog shows besides the form, and before there is one. */
  Around?: ComponentType<AroundProps>;
};
export type AroundProps = { actor: SettingsActor; onClose: () => void; children: ReactNode };
type Props = Deletion & { name: string; actor: SettingsActor };

/** Deletes what a page of settings is about, once its name is typed. */
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
        <span>{`and everything in it is deleted, for everyone, for good. ${warning}`}</span>
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
