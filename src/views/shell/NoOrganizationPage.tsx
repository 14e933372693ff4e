import { Button, Flex, Text } from '@chakra-ui/react';
import { NO_ORGANIZATION } from '#machines/workspace/texts.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Page } from '../ui/Page.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useWorkspace } from '../ui/state.ts';

/** The home of a person without an organization (NAV-01). */
export function NoOrganizationPage() {
  const workspace = useWorkspace();
  return (
    <Page heading="No organization">
      <FailureAlert failure={{ message: NO_ORGANIZATION }} />
      <Text mt="4">You don't belong to an organization. Create one, or ask someone to invite you to theirs.</Text>
      <Flex wrap="wrap" gap="3" mt="6">
        <Button onClick={() => workspace.send({ type: 'organization.create.requested' })}>Create organization</Button>
        <Button asChild variant="outline">
          <ScreenLink to={{ screen: 'user' }} borderRadius="l2">
            Go to your account
          </ScreenLink>
        </Button>
      </Flex>
    </Page>
  );
}
