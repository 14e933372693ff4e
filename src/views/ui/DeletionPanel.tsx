import { Button, Dialog, Heading, Text } from '@chakra-ui/react';
import { Form, type FormActor, FormField, useSubmitting } from './Form.tsx';
import { ModalDialog } from './ModalDialog.tsx';
import { Panel } from './Panel.tsx';
import { SubmitButton } from './SubmitButton.tsx';

type Asked = Record<string, string> & { typed: string };
type FormProps<Values extends Asked> = {
  /** What is deleted, as a word of a sentence. */
  what: 'organization' | 'project';
  name: string;
  /** What else people should know, in a sentence. */
  warning?: string;
  form: FormActor<Values>;
};
type Props<Values extends Asked> = Omit<FormProps<Values>, 'form'> & {
  /** What goes with it, up to "go with it". */
  contents: string;
  /** Open while it is there. */
  form: FormActor<Values> | undefined;
  onDelete: () => void;
};

/** Deletes what a page of settings is about, once its name is typed. */
export function DeletionPanel<Values extends Asked>({ what, contents, form, onDelete, ...rest }: Props<Values>) {
  return (
    <Panel as="section" aria-labelledby="deletion" borderColor="border.error">
      <Heading as="h2" id="deletion" mb="2" fontSize="lg" fontWeight="semibold">
        Delete this {what}
      </Heading>
      <Text mb="4" fontSize="sm" color="fg.muted">
        {contents} go with it, for everybody. This cannot be undone.
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

function DeletionForm<Values extends Asked>({ what, name, warning, form }: FormProps<Values>) {
  return (
    <Form actor={form}>
      <Text fontSize="sm" color="fg.muted">
        <Text as="strong" color="fg" overflowWrap="anywhere">
          <bdi>{name}</bdi>
        </Text>{' '}
        and everything in it is deleted, for everybody, for good. {warning}
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
