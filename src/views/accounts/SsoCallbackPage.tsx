import { Button, Flex, Spinner, Text } from '@chakra-ui/react';
import { shallowEqual, useSelector } from '@xstate/react';
import type { SsoCallbackActor } from '#machines/visitor/ssoCallback/machine.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { PublicLayout } from './PublicLayout.tsx';

const back = <TextLink to={{ screen: 'signIn' }}>Back to sign in</TextLink>;

/** The page after the identity provider: signs in, offers to create an account, or says what failed (ACC-07). */
export function SsoCallbackPage({ actor }: { actor: SsoCallbackActor }) {
  const part = useSelector(actor, (snapshot) => {
    if (snapshot.hasTag('newcomer')) return 'newcomer';
    if (snapshot.hasTag('failed')) return 'failed';
    return snapshot.hasTag('empty') ? 'empty' : 'loading';
  });
  switch (part) {
    case 'newcomer':
      return <Newcomer actor={actor} />;
    case 'failed':
      return <Failed actor={actor} />;
    case 'empty':
      return (
        <PublicLayout
          heading="This sign-in link is incomplete"
          intro="Your identity provider sends you here after you sign in. Start from the sign-in page."
          takesFocus
        >
          <SignInButton />
        </PublicLayout>
      );
    case 'loading':
      return (
        <PublicLayout heading="Single sign-on" intro="Signing you in…">
          <Flex justify="center" py="4">
            <Spinner color="brand.solid" aria-hidden />
          </Flex>
        </PublicLayout>
      );
  }
}

function Newcomer({ actor }: { actor: SsoCallbackActor }) {
  const newcomer = useSelector(actor, (snapshot) => snapshot.context.newcomer);
  const { failure, isCreating } = useSelector(
    actor,
    (snapshot) => ({ failure: snapshot.context.failure, isCreating: snapshot.hasTag('creating') }),
    shallowEqual,
  );
  return (
    <PublicLayout
      heading="Create your account?"
      intro={
        <span>
          There is no account yet for{' '}
          <Text as="strong" color="fg" fontWeight="medium">
            {newcomer?.name ? (
              <span>
                <bdi>{newcomer.name}</bdi> (<bdi>{newcomer.email}</bdi>)
              </span>
            ) : (
              <bdi>{newcomer?.email}</bdi>
            )}
          </Text>
          .
        </span>
      }
      aside={back}
      takesFocus
    >
      <Flex direction="column" gap="4">
        <FailureAlert failure={failure} />
        <SubmitButton
          type="button"
          w="full"
          busy={isCreating}
          busyLabel="Creating…"
          onClick={() => actor.send({ type: 'account.create.requested' })}
        >
          Create account
        </SubmitButton>
      </Flex>
    </PublicLayout>
  );
}

function Failed({ actor }: { actor: SsoCallbackActor }) {
  const failure = useSelector(actor, (snapshot) => snapshot.context.failure);
  const canRetry = useSelector(actor, (snapshot) => snapshot.can({ type: 'retry.requested' }));
  return (
    <PublicLayout heading="Sign-in failed" aside={canRetry ? back : undefined} takesFocus>
      <Flex direction="column" gap="4">
        <FailureAlert failure={failure} />
        {canRetry ? (
          <Button variant="outline" onClick={() => actor.send({ type: 'retry.requested' })}>
            Try again
          </Button>
        ) : (
          <SignInButton />
        )}
      </Flex>
    </PublicLayout>
  );
}

function SignInButton() {
  return (
    <Button asChild w="full">
      <ScreenLink to={{ screen: 'signIn' }} borderRadius="l2">
        Back to sign in
      </ScreenLink>
    </Button>
  );
}
