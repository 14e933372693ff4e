import { Button, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { ORGANIZATION_MISSING, projectMissing } from '#machines/workspace/texts.ts';
import { useRoot } from '../../actors.ts';
import { hrefOf } from '../../locations.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Page } from '../ui/Page.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMembership, useSession, useSettings, useWorkspace } from '../ui/state.ts';

/** Shown if the person or their organizations could not be loaded (SHL-11, ERR-04). */
export function LoadFailedPage() {
  const workspace = useWorkspace();
  const session = useSession();
  const failure = useSelector(workspace, (snapshot) => snapshot.context.failure);
  return (
    <Flex align="center" minH="100dvh" maxW="560px" mx="auto">
      <Page heading="Console error">
        <FailureAlert failure={failure} />
        <Flex gap="3" mt="6" wrap="wrap">
          <Button onClick={() => workspace.send({ type: 'retry.requested' })}>Retry</Button>
          {/* Reloads the whole page, which may itself have caused the failure. */}
          <Button asChild variant="outline">
            <a href={hrefOf({ screen: 'user' })}>Home</a>
          </Button>
          <Button variant="outline" onClick={() => session.send({ type: 'signOut.requested' })}>
            Sign out
          </Button>
        </Flex>
      </Page>
    </Flex>
  );
}

/** In place of a screen that failed to render (SHL-14). Offers a reload: browsers cache failed modules until then. */
export function FailedPage() {
  const root = useRoot();
  return (
    <Page heading="Screen error" takesFocus>
      <FailureAlert failure={{ message: 'This screen could not be shown.' }}>
        <Button size="sm" variant="outline" onClick={() => root.send({ type: 'reload.requested' })}>
          Load the page again
        </Button>
      </FailureAlert>
    </Page>
  );
}

/** Shown if the address names an organization or a project that the person does not belong to. */
export function MissingPage({ what }: { what: 'organization' | 'project' }) {
  const { supportEmail } = useSettings();
  const organization = useMembership()?.organization;
  return (
    <Page heading={what === 'organization' ? 'Organization not found' : 'Project not found'} takesFocus>
      <FailureAlert
        failure={{ message: what === 'organization' ? ORGANIZATION_MISSING : projectMissing(supportEmail) }}
      />
      <Button asChild mt="6" variant="outline" maxWidth="full" height="auto" minHeight="10" py="2" whiteSpace="normal">
        {organization ? (
          <ScreenLink to={{ screen: 'organization', orgUuid: organization.uuid }} borderRadius="l2">
            <Text as="span" minWidth="0" overflowWrap="anywhere" textAlign="center">
              Go to <bdi>{organization.name}</bdi>
            </Text>
          </ScreenLink>
        ) : (
          <ScreenLink to={{ screen: 'user' }} borderRadius="l2">
            Go to your account
          </ScreenLink>
        )}
      </Button>
    </Page>
  );
}

/** Shown if no screen has the address, but its organization or project exists; keeps the frame (NAV-02, UXP-40). */
export function PlaceNotFoundPage() {
  return (
    <Page heading="Error 404" intro="Requested page was not found." takesFocus>
      <Button asChild variant="outline">
        <ScreenLink to={{ screen: 'home' }} borderRadius="l2">
          Back to Console
        </ScreenLink>
      </Button>
    </Page>
  );
}
