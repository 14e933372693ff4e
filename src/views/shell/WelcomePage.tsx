import { Button, Flex, Spinner, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { WelcomeActor } from '#machines/workspace/welcome/machine.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Page } from '../ui/Page.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useSettings, useWorkspace } from '../ui/state.ts';

/** After sign-in without an organization: sets up a first project, or offers to create one (ONB-02, ONB-03). */
export function WelcomePage() {
  const { productName } = useSettings();
  const welcome = useSelector(useWorkspace(), (snapshot) => snapshot.children.welcome);
  return (
    <Page heading={`Welcome to ${productName}`} takesFocus>
      {welcome && <Contents welcome={welcome} />}
    </Page>
  );
}

function Contents({ welcome }: { welcome: WelcomeActor }) {
  const isOffering = useSelector(welcome, (snapshot) => snapshot.hasTag('offering'));
  const isFailed = useSelector(welcome, (snapshot) => snapshot.hasTag('failed'));
  const failure = useSelector(welcome, ({ context }) => context.failure);
  if (isOffering) return <Offer />;
  if (!isFailed)
    return (
      <Flex as="output" align="center" gap="3">
        <Spinner size="sm" aria-hidden /> Setting up your first project…
      </Flex>
    );
  return (
    <>
      <FailureAlert failure={failure} />
      <Button mt="6" onClick={() => welcome.send({ type: 'retry.requested' })}>
        Retry
      </Button>
    </>
  );
}

function Offer() {
  const workspace = useWorkspace();
  return (
    <>
      <Text>
        You don't belong to an organization. Create one to get started, or ask someone to invite you to theirs.
      </Text>
      <Flex wrap="wrap" gap="3" mt="6">
        <Button onClick={() => workspace.send({ type: 'organization.create.requested' })}>Create organization</Button>
        <Button asChild variant="outline">
          <ScreenLink to={{ screen: 'user' }} borderRadius="l2">
            Go to your account
          </ScreenLink>
        </Button>
      </Flex>
    </>
  );
}
