import { Box, Flex, Heading, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { SECRET_OVERLAP_HOURS, type SigningSecret } from '#contract/webhooks.ts';
import type { Zone } from '#machines/root/preferences/actors.ts';
import { offeredBy, type SigningSecretActor } from '#machines/workspace/webhooks/secret/machine.ts';
import { formatMoment, formatZoned } from '../ui/format.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Panel } from '../ui/Panel.tsx';
import { ReachableButton } from '../ui/ReachableButton.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { useZone } from '../ui/state.ts';
import { Waiting } from '../ui/Waiting.tsx';
import { HowToCheck } from './HowToCheck.tsx';
import { SecretDialog } from './SecretDialog.tsx';

/** The secret that signs webhooks: show it once, roll it, and how to check signatures. */
export function SecretPanel({ actor }: { actor: SigningSecretActor }) {
  const refusal = useSelector(actor, ({ context }) => context.refusal);
  return (
    <Panel as="section" aria-labelledby="signing-secret" p={{ base: '4', md: '5' }}>
      <Heading as="h2" id="signing-secret" fontSize="md" fontWeight="semibold">
        Signing secret
      </Heading>
      <SecretState actor={actor} />
      {refusal ? (
        <Box mt="4">
          <FailureAlert failure={refusal} title="No secret was shown." />
        </Box>
      ) : null}
      <HowToCheck />
      <RollDialog actor={actor} />
      <SecretDialog actor={actor} />
    </Panel>
  );
}

function SecretState({ actor }: { actor: SigningSecretActor }) {
  const zone = useZone();
  const known = useSelector(actor, ({ context }) => context.known);
  const failure = useSelector(actor, (snapshot) => (snapshot.hasTag('failed') ? snapshot.context.failure : null));
  if (failure)
    return (
      <Box mt="3">
        <FailureAlert failure={failure} title="The signing secret could not be loaded.">
          <RetryButton actor={actor} />
        </FailureAlert>
      </Box>
    );
  if (!known) return <Waiting mt="1.5" height="12" borderRadius="l2" label="Loading the signing secret" />;
  return (
    <Flex mt="1" columnGap="6" rowGap="3" align="center" justify="space-between" wrap="wrap" minH="12">
      <Box flex="1 1 280px" minW="0" fontSize="sm" color="fg.muted">
        <Text>{stateOf(known, zone)}</Text>
        {known.old_until ? (
          <Text title={formatMoment(known.old_until, zone)}>
            {`The previous secret also signs until ${formatZoned(known.old_until, zone)}.`}
          </Text>
        ) : null}
      </Box>
      <ShowOrRoll actor={actor} />
    </Flex>
  );
}

function stateOf({ created_at, was_shown }: SigningSecret, zone: Zone): string {
  if (created_at === null) return 'Created when it is first needed, and shown once. Every webhook is signed with it.';
  return was_shown
    ? `Created ${formatZoned(created_at, zone)}. It can't be shown again, but you can replace it.`
    : `Created ${formatZoned(created_at, zone)}. It hasn't been shown yet, and is shown only once.`;
}

const BUTTONS = {
  show: { text: 'Show secret', busyText: 'Showing…' },
  roll: { text: 'Roll secret', busyText: 'Rolling…' },
} as const;

function ShowOrRoll({ actor }: { actor: SigningSecretActor }) {
  const offered = useSelector(actor, ({ context }) => offeredBy(context));
  const can = useSelector(actor, (snapshot) => offered !== null && snapshot.can({ type: `${offered}.requested` }));
  const isBusy = useSelector(actor, (snapshot) => snapshot.hasTag('requesting'));
  if (offered === null)
    return (
      <Text fontSize="sm" color="fg.muted">
        An owner or admin of the organization can show and roll it.
      </Text>
    );
  return (
    // The same button for both actions, so that it keeps the focus when the action changes.
    <ReachableButton
      size="sm"
      variant="outline"
      can={can}
      busy={isBusy}
      onClick={() => actor.send({ type: `${offered}.requested` })}
    >
      {BUTTONS[offered][isBusy ? 'busyText' : 'text']}
    </ReachableButton>
  );
}

function RollDialog({ actor }: { actor: SigningSecretActor }) {
  const isOpen = useSelector(actor, (snapshot) => snapshot.hasTag('confirming'));
  return (
    <ConfirmDialog
      open={isOpen}
      title="Roll the signing secret?"
      confirmLabel="Roll secret"
      onConfirm={() => actor.send({ type: 'roll.confirmed' })}
      onCancel={() => actor.send({ type: 'roll.dismissed' })}
    >
      <Text>
        {`A new secret is created and shown once. For ${SECRET_OVERLAP_HOURS} hours webhooks are signed with both; after that, with the new one alone.`}
      </Text>
      <Text mt="2">Give it to your server within that time, or its checks fail.</Text>
    </ConfirmDialog>
  );
}
