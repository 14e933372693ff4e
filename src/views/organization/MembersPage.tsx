import { Box, Button } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { UserPlus } from 'lucide-react';
import type { MembersActor } from '#machines/workspace/members/machine.ts';
import { seesInvitations } from '#machines/workspace/members/select.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { RetryButton } from '../ui/RetryButton.tsx';
import { Page } from '../ui/Page.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { useMembership, useWorkspace } from '../ui/state.ts';
import { InvitationList } from './InvitationList.tsx';
import { RemovalDialog, RoleDialog } from './MemberDialogs.tsx';
import { MemberList } from './MemberList.tsx';
import { Waiting } from '../ui/Waiting.tsx';

/** The members and invitations of an organization, without actions that the role forbids (ORG-05, ORG-08). */
export function MembersPage() {
  const actor = useSelector(useWorkspace(), (snapshot) => snapshot.children.members);
  const organization = useMembership()?.organization;
  return (
    <Page
      heading="Members"
      intro={
        organization ? (
          <span>
            People who work in <bdi>{organization.name}</bdi>.
          </span>
        ) : null
      }
      actions={actor && <InviteLink actor={actor} />}
    >
      {actor && <People actor={actor} />}
      {actor && <RoleDialog actor={actor} />}
      {actor && <RemovalDialog actor={actor} />}
    </Page>
  );
}

function InviteLink({ actor }: { actor: MembersActor }) {
  const isOffered = useSelector(actor, ({ context }) => seesInvitations(context));
  const orgUuid = useSelector(actor, ({ context }) => context.orgUuid);
  if (!isOffered) return null;
  return (
    <Button asChild>
      <ScreenLink to={{ screen: 'invitation', orgUuid }} borderRadius="l2">
        <UserPlus size={16} aria-hidden /> Invite a member
      </ScreenLink>
    </Button>
  );
}

function People({ actor }: { actor: MembersActor }) {
  const isLoading = useSelector(actor, (snapshot) => snapshot.hasTag('loading'));
  const hasFailed = useSelector(actor, (snapshot) => snapshot.hasTag('failed'));
  const isOutdated = useSelector(actor, (snapshot) => snapshot.hasTag('outdated'));
  const failure = useSelector(actor, ({ context }) => context.failure);
  const count = useSelector(actor, ({ context }) => context.members.length);
  const hasInvitations = useSelector(actor, ({ context }) => seesInvitations(context));
  const retry = <RetryButton actor={actor} />;
  if (hasFailed)
    return (
      <FailureAlert failure={failure} title="Members could not be loaded.">
        {retry}
      </FailureAlert>
    );
  if (isLoading && count === 0) return <Waiting height="160px" label="Loading the members" />;
  return (
    <>
      {isOutdated ? (
        <Box mb="4">
          <FailureAlert failure={failure} title="This list has changed and could not be loaded again.">
            {retry}
          </FailureAlert>
        </Box>
      ) : null}
      <MemberList actor={actor} />
      {hasInvitations ? <InvitationList actor={actor} /> : null}
    </>
  );
}
