import { Button, Flex, Spinner, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import { PASSWORD_MIN } from '#contract/accounts.ts';
import type { ActivationActor } from '#machines/activation/machine.ts';
import { useRoot } from '../../actors.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, FormField, type FormActor, useSubmitting } from '../ui/Form.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { PublicLayout } from './PublicLayout.tsx';

/** Behind the link of an activation e-mail: choose a password, or learn why the link is of no use (ACC-03). */
export function ActivationPage() {
  const actor = useSelector(useRoot(), (snapshot) => snapshot.children.activation);
  return actor ? <Activation actor={actor} /> : null;
}

function Activation({ actor }: { actor: ActivationActor }) {
  const part = useSelector(actor, (snapshot) => {
    if (snapshot.hasTag('invalid')) return 'invalid';
    if (snapshot.hasTag('failed')) return 'failed';
    return snapshot.hasTag('loading') ? 'loading' : 'form';
  });
  const form = useSelector(actor, (snapshot) => snapshot.children.form);
  const email = useSelector(actor, (snapshot) => snapshot.context.email);
  switch (part) {
    case 'invalid':
      return <InvalidLink actor={actor} />;
    case 'failed':
      return <Failed actor={actor} />;
    case 'loading':
      return (
        <PublicLayout heading="Activate your account" intro="Checking your link…">
          <Flex justify="center" py="4">
            <Spinner color="brand.solid" aria-hidden />
          </Flex>
        </PublicLayout>
      );
    case 'form':
      return (
        <PublicLayout
          heading="Activate your account"
          intro={
            <>
              Choose a password for{' '}
              <Text as="strong" color="fg" fontWeight="medium">
                {email}
              </Text>
              .
            </>
          }
        >
          {form ? <PasswordForm actor={form} /> : null}
        </PublicLayout>
      );
  }
}

function PasswordForm({ actor }: { actor: FormActor<{ password: string; token: string }> }) {
  return (
    <Form actor={actor}>
      <FormField
        actor={actor}
        field="password"
        id="password"
        label="Password"
        type="password"
        autoComplete="new-password"
        hint={`At least ${PASSWORD_MIN} characters.`}
        takesFocus
        required
      />
      <SubmitButton busy={useSubmitting(actor)} busyLabel="Activating…" w="full">
        Activate account
      </SubmitButton>
    </Form>
  );
}

const REASONS = {
  used: { heading: 'This link has been used', text: 'Your account is active already. Sign in with your password.' },
  expired: { heading: 'This link has expired', text: 'Have a new e-mail sent to you and use the link in it.' },
  unknown: { heading: 'This link is not valid', text: 'Check that you opened the whole address from the e-mail, or have a new e-mail sent to you.' },
};

function InvalidLink({ actor }: { actor: ActivationActor }) {
  const reason = useSelector(actor, (snapshot) => {
    if (snapshot.matches({ invalid: 'used' })) return 'used';
    return snapshot.matches({ invalid: 'expired' }) ? 'expired' : 'unknown';
  });
  const { heading, text } = REASONS[reason];
  const isUsed = reason === 'used';
  return (
    <PublicLayout
      heading={heading}
      intro={text}
      aside={<TextLink to={{ screen: isUsed ? 'resendActivation' : 'signIn' }}>{isUsed ? 'Resend activation e-mail' : 'Back to sign in'}</TextLink>}
    >
      <Button asChild w="full">
        <ScreenLink to={{ screen: isUsed ? 'signIn' : 'resendActivation' }} borderRadius="l2">
          {isUsed ? 'Sign in' : 'Resend activation e-mail'}
        </ScreenLink>
      </Button>
    </PublicLayout>
  );
}

function Failed({ actor }: { actor: ActivationActor }) {
  const failure = useSelector(actor, (snapshot) => snapshot.context.failure);
  return (
    <PublicLayout heading="Activate your account">
      <Flex direction="column" gap="4">
        <FailureAlert failure={failure} />
        <Button variant="outline" onClick={() => actor.send({ type: 'retry.requested' })}>
          Try again
        </Button>
      </Flex>
    </PublicLayout>
  );
}
