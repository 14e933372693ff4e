import { Button, Flex, Spinner, Text, chakra } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { LinkRefusal } from '#machines/visitor/linkRefusal.ts';
import type { PasswordPurpose } from '#machines/visitor/passwordLink/actors.ts';
import type { PasswordLinkActor } from '#machines/visitor/passwordLink/machine.ts';
import type { Route } from '#machines/shared/route.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, type FormActor, useSubmitting } from '../ui/Form.tsx';
import { NewPasswordField } from '../ui/NewPasswordField.tsx';
import { ScreenLink } from '../ui/ScreenLink.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { PublicLayout } from './PublicLayout.tsx';

type Way = { to: Route; name: string };
type Refusal = { heading: string; text: string; way: Way; otherWay: Way };

const SIGN_IN: Way = { to: { screen: 'signIn' }, name: 'Sign in' };
const BACK: Way = { to: { screen: 'signIn' }, name: 'Back to sign in' };
const RESEND: Way = { to: { screen: 'resendActivation' }, name: 'Resend activation e-mail' };
const RECOVER: Way = { to: { screen: 'passwordRecovery' }, name: 'Recover your password' };

const WORDS: Record<
  PasswordPurpose,
  {
    heading: string;
    prompt: string;
    submit: string;
    busy: string;
    refusals: Record<Exclude<LinkRefusal, 'revoked'>, Refusal>;
  }
> = {
  activation: {
    heading: 'Activate your account',
    prompt: 'Choose a password for',
    submit: 'Activate account',
    busy: 'Activating…',
    refusals: {
      used: {
        heading: 'This link has been used',
        text: 'Your account is active already. Sign in with your password.',
        way: SIGN_IN,
        otherWay: RECOVER,
      },
      expired: {
        heading: 'This link has expired',
        text: 'Request a new e-mail and use the link in it.',
        way: RESEND,
        otherWay: BACK,
      },
      unknown: {
        heading: 'This link is not valid',
        text: 'Check that you opened the whole address from the e-mail, or request a new e-mail.',
        way: RESEND,
        otherWay: BACK,
      },
    },
  },
  passwordReset: {
    heading: 'Choose a new password',
    prompt: 'Choose a new password for',
    submit: 'Set password',
    busy: 'Setting…',
    refusals: {
      used: {
        heading: 'This link has been used',
        text: 'Each link sets a password once. Sign in with that password, or request a new link.',
        way: SIGN_IN,
        otherWay: RECOVER,
      },
      expired: {
        heading: 'This link has expired',
        text: 'These links expire after a short time. Request a new one.',
        way: RECOVER,
        otherWay: BACK,
      },
      unknown: {
        heading: 'This link is not valid',
        text: 'Check that you opened the whole address from the e-mail, or request a new link.',
        way: RECOVER,
        otherWay: BACK,
      },
    },
  },
};

/** The page of an e-mail's link: choose a password, or learn why the link fails (ACC-03, ACC-06). */
export function PasswordLinkPage({ actor }: { actor: PasswordLinkActor }) {
  const part = useSelector(actor, (snapshot) => {
    if (snapshot.hasTag('invalid')) return 'invalid';
    if (snapshot.hasTag('failed')) return 'failed';
    return snapshot.hasTag('loading') ? 'loading' : 'form';
  });
  const form = useSelector(actor, (snapshot) => snapshot.children.form);
  const email = useSelector(actor, (snapshot) => snapshot.context.email);
  const purpose = useSelector(actor, (snapshot) => snapshot.context.purpose);
  const { heading, prompt } = WORDS[purpose];
  switch (part) {
    case 'invalid':
      return <InvalidLink actor={actor} />;
    case 'failed':
      return <Failed actor={actor} />;
    case 'loading':
      return (
        <PublicLayout heading={heading} intro="Checking your link…">
          <Flex justify="center" py="4">
            <Spinner color="brand.solid" aria-hidden />
          </Flex>
        </PublicLayout>
      );
    case 'form':
      return (
        <PublicLayout
          heading={heading}
          intro={
            <span>
              <span>{prompt}</span>{' '}
              <Text as="strong" color="fg" fontWeight="medium">
                <bdi>{email}</bdi>
              </Text>
              .
            </span>
          }
        >
          {form ? <PasswordForm actor={form} purpose={purpose} email={email} /> : null}
        </PublicLayout>
      );
  }
}

type PasswordFormProps = { actor: FormActor<{ password: string }>; purpose: PasswordPurpose; email: string };

function PasswordForm({ actor, purpose, email }: PasswordFormProps) {
  return (
    <Form actor={actor}>
      {/* Tells password managers whose password this is. */}
      <chakra.input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <NewPasswordField actor={actor} field="password" id="password" label="Password" takesFocus />
      <SubmitButton busy={useSubmitting(actor)} busyLabel={WORDS[purpose].busy} w="full">
        {WORDS[purpose].submit}
      </SubmitButton>
    </Form>
  );
}

function InvalidLink({ actor }: { actor: PasswordLinkActor }) {
  const reason = useSelector(actor, (snapshot) => {
    if (snapshot.hasTag('used')) return 'used';
    return snapshot.hasTag('expired') ? 'expired' : 'unknown';
  });
  const purpose = useSelector(actor, (snapshot) => snapshot.context.purpose);
  const { heading, text, way, otherWay } = WORDS[purpose].refusals[reason];
  return (
    <PublicLayout
      heading={heading}
      intro={text}
      aside={<TextLink to={otherWay.to}>{otherWay.name}</TextLink>}
      takesFocus
    >
      <Button asChild w="full">
        <ScreenLink to={way.to} borderRadius="l2">
          {way.name}
        </ScreenLink>
      </Button>
    </PublicLayout>
  );
}

function Failed({ actor }: { actor: PasswordLinkActor }) {
  const failure = useSelector(actor, (snapshot) => snapshot.context.failure);
  const purpose = useSelector(actor, (snapshot) => snapshot.context.purpose);
  return (
    <PublicLayout heading={WORDS[purpose].heading} takesFocus>
      <Flex direction="column" gap="4">
        <FailureAlert failure={failure} />
        <Button variant="outline" onClick={() => actor.send({ type: 'retry.requested' })}>
          Try again
        </Button>
      </Flex>
    </PublicLayout>
  );
}
