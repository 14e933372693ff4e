import { Button, Dialog, Heading, Text } from '@chakra-ui/react';
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
};
type DeletionActor = FormActor<{ typed: string }>;
type Props = Deletion & {
  name: string;
  /** Open while it is there. */
  form: DeletionActor | undefined;
  onDelete: () => void;
};

/** Deletes what a page of settings is about, once its name is typed. */
export function DeletionPanel({ what, contents, form, onDelete, ...rest }: Props) {
  return (
    <Panel as="section" aria-labelledby="deletion" borderColor="border.error">
      <Heading as="h2" id="deletion" mb="2" fontSize="lg" fontWeight="semibold">
        Delete this {what}
      </Heading>
      <Text mb="4" fontSize="sm" color="fg.muted">
        {contents} go with it, for everyone. This can't be undone.
      </Text>
      <Button variant="outline" colorPalette="red" onClick={onDelete}>
        Delete {what}
      </Button>
      <ModalDialog
        title={`Delete this ${what}?`}
        open={form !== undefined}
        onClose={() => form?.send({ type: 'dismiss.requested' })}
      >
        {form ? <DeletionForm what={what} form={form} {...rest} /> : null}
      </ModalDialog>
    </Panel>
  );
}

type FormProps = Pick<Props, 'what' | 'name' | 'warning'> & { form: DeletionActor };

function DeletionForm({ what, name, warning, form }: FormProps) {
  return (
    <Form actor={form}>
      <Text fontSize="sm" color="fg.muted">
        <Text as="strong" color="fg" overflowWrap="anywhere">
          <bdi>{name}</bdi>
        </Text>{' '}
        and everything in it is deleted, for everyone, for good. {warning}
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
