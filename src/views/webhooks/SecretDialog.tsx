import { Box, Button, Dialog, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { SECRET_OVERLAP_HOURS } from '#contract/webhooks.ts';
import type { SecretRevealActor } from '#machines/shared/secretReveal/machine.ts';
import type { SigningSecretActor } from '#machines/workspace/webhooks/secret/machine.ts';
import { InlineCode } from '../ui/InlineCode.tsx';
import { ModalDialog } from '../ui/ModalDialog.tsx';
import { CODE_BOX, CopySecret, LeaveDialog, MASK, ShowSecret } from '../ui/Secret.tsx';

/** Shows the signing secret, once. */
export function SecretDialog({ actor }: { actor: SigningSecretActor }) {
  const reveal = useSelector(actor, ({ children }) => children.secretReveal);
  const hasOld = useSelector(actor, ({ context }) => context.known?.old_until != null);
  const close = () => reveal?.send({ type: 'dismiss.requested' });
  return (
    <>
      <ModalDialog title="Your signing secret" maxWidth="560px" open={reveal !== undefined} onClose={close}>
        {reveal ? <Secret reveal={reveal} hasOld={hasOld} /> : null}
        <Dialog.Footer p="0" pt="4">
          <Button variant="outline" onClick={close}>
            Done
          </Button>
        </Dialog.Footer>
      </ModalDialog>
      {reveal ? (
        <LeaveDialog reveal={reveal} title="You won't see this secret again" backLabel="Back to the secret">
          You haven't copied it. If you close, you'll have to roll it to get a new one.
        </LeaveDialog>
      ) : null}
    </>
  );
}

function Secret({ reveal, hasOld }: { reveal: SecretRevealActor; hasOld: boolean }) {
  const secret = useSelector(reveal, ({ context }) => context.secret);
  const isShown = useSelector(reveal, ({ context }) => context.isShown);
  const isCopied = useSelector(reveal, (snapshot) => snapshot.hasTag('copied'));
  const isRefused = useSelector(reveal, (snapshot) => snapshot.hasTag('refused'));
  return (
    <>
      <Text color="fg.muted" fontSize="sm">
        Copy it now. You won't see it again. Give it to your server as <InlineCode>WEBHOOK_SECRET</InlineCode>: whoever
        has it can sign webhooks of this project.
        {hasOld ? <span>{` The previous secret also signs for ${SECRET_OVERLAP_HOURS} hours.`}</span> : null}
      </Text>
      <Flex mt="4" gap="2" align="center" wrap="wrap">
        <Box as="code" aria-label="Signing secret" flex="1 1 100%" minWidth="0" {...CODE_BOX}>
          {isShown ? secret : MASK}
        </Box>
        <ShowSecret reveal={reveal} />
        <CopySecret isCopied={isCopied} onCopy={() => reveal.send({ type: 'copy.requested', text: secret })}>
          Copy
        </CopySecret>
      </Flex>
      <Text as="output" display="block" mt="2" fontSize="sm" color={isRefused ? 'fg.error' : 'fg.muted'}>
        {isCopied
          ? 'Signing secret copied.'
          : isRefused
            ? "The browser couldn't copy it. Show it and copy it by hand."
            : ''}
      </Text>
    </>
  );
}
