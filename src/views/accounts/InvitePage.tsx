import { Button, Flex, Spinner, Text } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { InvitationView } from '#contract/members.ts';
import type { InviteActor } from '#machines/visitor/invite/machine.ts';
import { ROLE_PHRASES } from '#machines/shared/roleNames.ts';
import type { LinkRefusal } from '#machines/visitor/linkRefusal.ts';
import type { Route } from '#machines/shared/route.ts';
import { hrefOf } from '../../locations.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { PublicLayout } from './PublicLayout.tsx';

const HEADING = 'Invitation';

const REFUSALS: Record<LinkRefusal, { heading: string; text: string; to: Route; name: string }> = {
  used: {
    heading: 'This invitation has been accepted',
    text: 'If you accepted it, you already belong to the organization.',
    to: { screen: 'home' },
    name: 'Open the console',
  },
  expired: {
    heading: 'This invitation has expired',
    text: 'Ask the person who invited you for a new one.',
    to: { screen: 'home' },
    name: 'Open the console',
  },
  revoked: {
    heading: 'This invitation was revoked',
    text: 'Ask the person who invited you for a new one.',
    to: { screen: 'home' },
    name: 'Open the console',
  },
  unknown: {
    heading: 'This invitation is not valid',
    text: 'Check that you opened the whole address from the e-mail, or ask the person who invited you for a new one.',
    to: { screen: 'home' },
    name: 'Open the console',
  },
};

/** The page of an invitation link: join, sign in as the invited person first, or learn why the link fails (ACC-10). */
export function InvitePage({ actor }: { actor: InviteActor }) {
  const part = useSelector(actor, (snapshot) => PARTS.find((tag) => snapshot.hasTag(tag)) ?? 'loading');
  const invitation = useSelector(actor, (snapshot) => snapshot.context.invitation);
  if (part === 'invalid') return <Invalid actor={actor} />;
  if (part === 'failed') return <Failed actor={actor} />;
  if (part === 'loading' || !invitation) {
    return (
      <PublicLayout heading={HEADING} intro="Reading your invitation…">
        <Flex justify="center" py="4">
          <Spinner color="brand.solid" aria-hidden />
        </Flex>
      </PublicLayout>
    );
  }
  switch (part) {
    case 'invited':
      return <Invited actor={actor} invitation={invitation} />;
    case 'wrongUser':
      return <WrongUser actor={actor} invitation={invitation} />;
    case 'signedOut':
      return <SignedOut actor={actor} invitation={invitation} />;
    case 'joined':
      return <Joined actor={actor} invitation={invitation} />;
  }
}

const REASONS = ['used', 'expired', 'revoked'] as const;
const PARTS = ['invalid', 'failed', 'invited', 'wrongUser', 'signedOut', 'joined'] as const;

type Props = { actor: InviteActor; invitation: InvitationView };

const Strong = ({ children }: { children: ReactNode }) => (
  <Text as="strong" color="fg" fontWeight="medium">
    <bdi>{children}</bdi>
  </Text>
);

/** Who invites whom to which organization, and in which role. */
function Offer({ invitation: { organization, email, role, invited_by } }: { invitation: InvitationView }) {
  return (
    <span>
      {invited_by === null ? null : <Strong>{invited_by}</Strong>}{' '}
      <span>{invited_by === null ? 'You are invited' : 'invites you'}</span> to join{' '}
      <Strong>{organization.name}</Strong> as <span>{ROLE_PHRASES[role]}</span>. The invitation is for{' '}
      <Strong>{email}</Strong>.
    </span>
  );
}

const LinkButton = ({
  to,
  children,
  isSecondary = false,
}: {
  to: Route;
  children: ReactNode;
  isSecondary?: boolean;
}) => (
  <Button
    asChild
    w="full"
    h="auto"
    minH="10"
    py="2"
    whiteSpace="normal"
    overflowWrap="anywhere"
    textAlign="center"
    {...(isSecondary ? { variant: 'outline' } : {})}
  >
    <ScreenLink to={to} borderRadius="l2">
      {children}
    </ScreenLink>
  </Button>
);

function Invited({ actor, invitation }: Props) {
  const { failure, isAccepting } = useSelector(
    actor,
    (snapshot) => ({ failure: snapshot.context.failure, isAccepting: snapshot.hasTag('accepting') }),
    shallowEqual,
  );
  return (
    <PublicLayout
      heading={
        <span>
          Join <bdi>{invitation.organization.name}</bdi>
        </span>
      }
      intro={<Offer invitation={invitation} />}
      takesFocus
    >
      <Flex direction="column" gap="4">
        <FailureAlert failure={failure} />
        <SubmitButton
          type="button"
          w="full"
          busy={isAccepting}
          busyLabel="Joining…"
          onClick={() => actor.send({ type: 'accept.requested' })}
        >
          Accept invitation
        </SubmitButton>
      </Flex>
    </PublicLayout>
  );
}

function WrongUser({ actor, invitation }: Props) {
  const { email, isLeaving } = useSelector(
    actor,
    (snapshot) => ({ email: snapshot.context.email, isLeaving: snapshot.hasTag('leaving') }),
    shallowEqual,
  );
  return (
    <PublicLayout
      heading="This invitation is for someone else"
      intro={
        <span>
          It is for <Strong>{invitation.email}</Strong>, and you are signed in as <Strong>{email}</Strong>. Sign out to
          go on as the invited person.
        </span>
      }
      takesFocus
    >
      <Flex direction="column" gap="3">
        <SubmitButton
          type="button"
          w="full"
          busy={isLeaving}
          busyLabel="Signing out…"
          onClick={() => actor.send({ type: 'signOut.requested' })}
        >
          Sign out and continue
        </SubmitButton>
        <LinkButton to={{ screen: 'home' }} isSecondary>
          Stay signed in
        </LinkButton>
      </Flex>
    </PublicLayout>
  );
}

function SignedOut({ actor, invitation }: Props) {
  const from = useSelector(actor, ({ context: { token } }) => hrefOf({ screen: 'invite', token }));
  return (
    <PublicLayout
      heading={
        <span>
          Join <bdi>{invitation.organization.name}</bdi>
        </span>
      }
      intro={
        <span>
          <Offer invitation={invitation} /> Sign in with that address, or create an account for it.
        </span>
      }
      takesFocus
    >
      <Flex direction="column" gap="3">
        <LinkButton to={{ screen: 'signIn', from }}>Sign in</LinkButton>
        <LinkButton to={{ screen: 'signUp', from }} isSecondary>
          Create account
        </LinkButton>
      </Flex>
    </PublicLayout>
  );
}

function Joined({ actor, invitation: { organization } }: Props) {
  const orgUuid = useSelector(actor, (snapshot) => snapshot.context.orgUuid);
  return (
    <PublicLayout
      heading={
        <span>
          Welcome to <bdi>{organization.name}</bdi>
        </span>
      }
      intro="You have joined the organization. Opening it…"
      takesFocus
    >
      <LinkButton to={orgUuid === null ? { screen: 'home' } : { screen: 'organization', orgUuid }}>
        Open <bdi>{organization.name}</bdi>
      </LinkButton>
    </PublicLayout>
  );
}

function Invalid({ actor }: { actor: InviteActor }) {
  const reason = useSelector(actor, (snapshot) => REASONS.find((tag) => snapshot.hasTag(tag)) ?? 'unknown');
  const { heading, text, to, name } = REFUSALS[reason];
  return (
    <PublicLayout heading={heading} intro={text} takesFocus>
      <LinkButton to={to}>{name}</LinkButton>
    </PublicLayout>
  );
}

function Failed({ actor }: { actor: InviteActor }) {
  const failure = useSelector(actor, (snapshot) => snapshot.context.failure);
  return (
    <PublicLayout heading={HEADING} takesFocus>
      <Flex direction="column" gap="4">
        <FailureAlert failure={failure} />
        <Button variant="outline" onClick={() => actor.send({ type: 'retry.requested' })}>
          Try again
        </Button>
      </Flex>
    </PublicLayout>
  );
}
