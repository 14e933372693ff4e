import { Box, Button, Dialog, Flex, Heading, Spinner, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { Check, CircleCheck, Copy, Eye, EyeOff } from 'lucide-react';
import { firstCallCurl } from '#machines/playground/snippets/firstCall.ts';
import type { FirstCallActor } from '#machines/workspace/apiKeys/firstCall/machine.ts';
import { LIFETIMES } from '#machines/workspace/apiKeys/form.ts';
import type { ApiKeysActor } from '#machines/workspace/apiKeys/machine.ts';
import type { SecretRevealActor } from '#machines/shared/secretReveal/machine.ts';
import { SelectField } from '../playground/fields/SelectField.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { DiscardDialog } from '../ui/DiscardDialog.tsx';
import { Form, type FormActor, FormField, useSubmitting } from '../ui/Form.tsx';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { createKeyButton } from '../../behaviours/createKeyButton.ts';

/** What is asked for a new key, and the key itself, once. */
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
      {reveal && <LeaveDialog reveal={reveal} />}
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

const MASK = '•'.repeat(24);

function Secret({ reveal, baseUrl }: { reveal: SecretRevealActor; baseUrl: string }) {
  const { secret, name, isShown, text } = useSelector(reveal, ({ context }) => context);
  const isCopied = useSelector(reveal, (snapshot) => snapshot.hasTag('copied'));
  const isRefused = useSelector(reveal, (snapshot) => snapshot.hasTag('refused'));
  const call = firstCallCurl({ baseUrl, key: secret });
  const copy = (what: string) => () => reveal.send({ type: 'copy.requested', text: what });
  return (
    <>
      <Text color="fg.muted" fontSize="sm">
        Copy “<bdi>{name}</bdi>” now. You won't see it again. Keep it in a safe place: whoever has it can use this
        project.
      </Text>
      <Flex mt="4" gap="2" align="center" wrap="wrap">
        <Box as="code" aria-label="API key" flex="1 1 100%" minWidth="0" {...codeBox}>
          {isShown ? secret : MASK}
        </Box>
        <Button size="sm" variant="outline" onClick={() => reveal.send({ type: 'visibility.toggled' })}>
          {isShown ? <EyeOff size={15} aria-hidden /> : <Eye size={15} aria-hidden />} {isShown ? 'Hide' : 'Show'}
        </Button>
        <CopySecret isCopied={isCopied && text === secret} onCopy={copy(secret)}>
          Copy
        </CopySecret>
      </Flex>
      <Heading as="h3" mt="5" mb="2" fontSize="sm" fontWeight="semibold">
        Try it in a terminal
      </Heading>
      <Flex gap="2" align="flex-start" wrap="wrap">
        <Box as="pre" role="region" aria-label="First call" tabIndex={0} flex="1 1 100%" minWidth="0" {...codeBox}>
          {firstCallCurl({ baseUrl, key: isShown ? secret : MASK })}
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
            ? 'The browser refused to copy it: show it and copy it by hand.'
            : ''}
      </Text>
    </>
  );
}

const codeBox = {
  p: '3',
  bg: 'bg.muted',
  borderRadius: 'l2',
  fontFamily: 'mono',
  fontSize: 'xs',
  lineHeight: '1.6',
  whiteSpace: 'pre-wrap',
  overflowWrap: 'anywhere',
  focusRing: 'inside',
} as const;

type CopyProps = { variant?: 'outline'; isCopied: boolean; onCopy: () => void; children: string };

function CopySecret({ variant, isCopied, onCopy, children }: CopyProps) {
  return (
    <Button size="sm" {...(variant ? { variant } : {})} onClick={onCopy}>
      {isCopied ? <Check size={15} aria-hidden /> : <Copy size={15} aria-hidden />} {isCopied ? 'Copied' : children}
    </Button>
  );
}

/** Whether a program has called with the new key: waits, then turns green (ONB-22). */
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
          Waiting for your first request…{' '}
          {isUnknown && failure ? `The console can't check right now, and keeps trying: ${failure.message}` : null}
        </Text>
      )}
    </Flex>
  );
}

function LeaveDialog({ reveal }: { reveal: SecretRevealActor }) {
  const isAsking = useSelector(reveal, (snapshot) => snapshot.hasTag('asking'));
  return (
    <ConfirmDialog
      open={isAsking}
      title="You won't see this key again"
      confirmLabel="Close anyway"
      cancelLabel="Back to the key"
      onConfirm={() => reveal.send({ type: 'dismiss.confirmed' })}
      onCancel={() => reveal.send({ type: 'dismiss.withdrawn' })}
    >
      <Text>You haven't copied it. If you close, you'll need a new key.</Text>
    </ConfirmDialog>
  );
}
