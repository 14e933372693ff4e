import { Box, Button, Dialog, Flex, Heading, Spinner, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { CircleCheck } from 'lucide-react';
import { firstCallCurl } from '#machines/playground/snippets/firstCall.ts';
import { keyVariableOf } from '#machines/playground/snippets/snippets.ts';
import type { FirstCallActor } from '#machines/workspace/apiKeys/firstCall/machine.ts';
import { LIFETIMES } from '#machines/workspace/apiKeys/form.ts';
import type { ApiKeysActor } from '#machines/workspace/apiKeys/machine.ts';
import type { SecretRevealActor } from '#machines/shared/secretReveal/machine.ts';
import { SelectField } from '../ui/SelectField.tsx';
import { DiscardDialog } from '../ui/DiscardDialog.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { CODE_BOX, CopySecret, LeaveDialog, MASK, ShowSecret } from '../ui/Secret.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { useSettings } from '../ui/state.ts';
import { createKeyButton } from '../../behaviours/createKeyButton.ts';

/** The form for a new API key, and the key itself, shown once. */
export function KeyDialogs({ keys }: { keys: ApiKeysActor }) {
  const form = useSelector(keys, (snapshot) => snapshot.children.keyForm);
  const reveal = useSelector(keys, (snapshot) => snapshot.children.secretReveal);
  const firstCall = useSelector(keys, (snapshot) => snapshot.children.firstCall);
  const baseUrl = useSelector(keys, ({ context }) => context.made?.baseUrl ?? '');
  return (
    <>
      <ModalDialog
        title="Create API key"
        open={form !== undefined}
        onClose={() => form?.send({ type: 'dismiss.requested' })}
      >
        {form && <KeyForm actor={form} onCancel={() => form.send({ type: 'dismiss.requested' })} />}
      </ModalDialog>
      <ModalDialog
        title="Your new API key"
        maxWidth="620px"
        finalFocus={createKeyButton}
        open={reveal !== undefined}
        onClose={() => reveal?.send({ type: 'dismiss.requested' })}
      >
        {reveal && <Secret reveal={reveal} baseUrl={baseUrl} />}
        {reveal && firstCall && <FirstCall firstCall={firstCall} />}
        {reveal && (
          <Dialog.Footer p="0" pt="4">
            <Button variant="outline" onClick={() => reveal.send({ type: 'dismiss.requested' })}>
              Done
            </Button>
          </Dialog.Footer>
        )}
      </ModalDialog>
      {reveal && (
        <LeaveDialog reveal={reveal} title="You won't see this key again" backLabel="Back to the key">
          You haven't copied it. If you close, you'll need a new key.
        </LeaveDialog>
      )}
    </>
  );
}

type KeyValues = { name: string; expiresInDays: string };

function KeyForm({ actor, onCancel }: { actor: FormActor<KeyValues>; onCancel: () => void }) {
  const days = useSelector(actor, ({ context }) => context.values.expiresInDays);
  return (
    <Form actor={actor}>
      <FormField
        actor={actor}
        field="name"
        id="key-name"
        label="Name"
        autoComplete="off"
        hint="A name to recognize it by, e.g. “staging”."
        required
        takesFocus
      />
      <SelectField
        id="key-lifetime"
        label="Expires"
        value={days === '' ? null : days}
        none="Never"
        choices={LIFETIMES.filter((known) => known !== '').map((known) => ({ code: known, name: `In ${known} days` }))}
        onChange={(chosen) => actor.send({ type: 'field.changed', field: 'expiresInDays', value: chosen ?? '' })}
      />
      <Dialog.Footer p="0" pt="1">
        <Button variant="outline" onClick={onCancel}>
          Cancel
        </Button>
        <SubmitButton busy={useSubmitting(actor)} busyLabel="Creating key…">
          Create
        </SubmitButton>
      </Dialog.Footer>
      <DiscardDialog actor={actor} />
    </Form>
  );
}

function Secret({ reveal, baseUrl }: { reveal: SecretRevealActor; baseUrl: string }) {
  const { secret, name, isShown, text } = useSelector(reveal, ({ context }) => context);
  const isCopied = useSelector(reveal, (snapshot) => snapshot.hasTag('copied'));
  const isRefused = useSelector(reveal, (snapshot) => snapshot.hasTag('refused'));
  const keyVariable = keyVariableOf(useSettings().product);
  const call = firstCallCurl({ baseUrl, keyVariable, key: secret });
  const copy = (what: string) => () => reveal.send({ type: 'copy.requested', text: what });
  return (
    <>
      <Text color="fg.muted" fontSize="sm">
        Copy “<bdi>{name}</bdi>” now. You won't see it again. Keep it in a safe place: whoever has it can use this
        project.
      </Text>
      <Flex mt="4" gap="2" align="center" wrap="wrap">
        <Box as="code" aria-label="API key" flex="1 1 100%" minWidth="0" {...CODE_BOX}>
          {isShown ? secret : MASK}
        </Box>
        <ShowSecret reveal={reveal} />
        <CopySecret isCopied={isCopied && text === secret} onCopy={copy(secret)}>
          Copy
        </CopySecret>
      </Flex>
      <Heading as="h3" mt="5" mb="2" fontSize="sm" fontWeight="semibold">
        Try it in a terminal
      </Heading>
      <Text mb="2" fontSize="sm" color="fg.muted">
        Transcribes a sample recording and prints its text. Needs curl and jq.
      </Text>
      <Flex gap="2" align="flex-start" wrap="wrap">
        <Box
          as="pre"
          role="region"
          aria-label="First call"
          tabIndex={0}
          flex="1 1 100%"
          minWidth="0"
          maxHeight="15rem"
          overflowY="auto"
          {...CODE_BOX}
        >
          {firstCallCurl({ baseUrl, keyVariable, key: isShown ? secret : MASK })}
        </Box>
        <CopySecret variant="outline" isCopied={isCopied && text === call} onCopy={copy(call)}>
          Copy command
        </CopySecret>
      </Flex>
      <Text as="output" display="block" mt="2" fontSize="sm" color={isRefused ? 'fg.error' : 'fg.muted'}>
        {isCopied
          ? text === call
            ? 'Command copied, with the API key in it.'
            : 'API key copied.'
          : isRefused
            ? "The browser couldn't copy it. Show it and copy it by hand."
            : ''}
      </Text>
    </>
  );
}

/** Waits for the first request with the new key, then turns green (ONB-22). */
function FirstCall({ firstCall }: { firstCall: FirstCallActor }) {
  const isCalled = useSelector(firstCall, (snapshot) => snapshot.hasTag('called'));
  const isUnknown = useSelector(firstCall, (snapshot) => snapshot.hasTag('unknown'));
  const failure = useSelector(firstCall, ({ context }) => context.failure);
  return (
    <Flex
      role="status"
      aria-label="First request"
      mt="4"
      p="3"
      gap="3"
      align="center"
      borderRadius="l2"
      fontSize="sm"
      bg={isCalled ? 'green.subtle' : 'bg.muted'}
      color={isCalled ? 'green.fg' : 'fg.muted'}
    >
      {isCalled ? <CircleCheck size={18} aria-hidden /> : <Spinner size="sm" aria-hidden />}
      {isCalled ? (
        <Text>First request received. Your key works.</Text>
      ) : (
        <Text>
          {`Waiting for your first request…${isUnknown && failure ? ` The console can't check right now, and keeps trying: ${failure.message}` : ''}`}
        </Text>
      )}
    </Flex>
  );
}
