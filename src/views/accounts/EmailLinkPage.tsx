import { Button, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { EmailPurpose } from '#machines/visitor/emailLink/actors.ts';
import type { EmailLinkActor } from '#machines/visitor/emailLink/machine.ts';
import type { SingleSignOnActor } from '#machines/visitor/singleSignOn/machine.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, FormField, type FormActor, useSubmitting } from '../ui/Form.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { useSettings } from '../ui/state.ts';
import { TextLink } from '../ui/TextLink.tsx';
import { Unsent } from '../ui/Unsent.tsx';
import { PublicLayout } from './PublicLayout.tsx';
import { SingleSignOnButton } from './SingleSignOnButton.tsx';

type Words = { heading: string; intro: string; submit: string; otherWay: string };

/** Nothing is promised to be sent by a server that sends nothing. */
const wordsOf = (isSent: boolean): Record<EmailPurpose, Words> => ({
  signUp: {
    heading: 'Create an account',
    intro: isSent ? "We'll email you a link to set your password." : "You'll get a link to set your password.",
    submit: 'Sign up',
    otherWay: 'Already have an account?',
  },
  resendActivation: {
    heading: 'Resend activation e-mail',
    intro: 'Enter the e-mail address that you signed up with.',
    submit: 'Send e-mail',
    otherWay: 'Already have an account?',
  },
  passwordRecovery: {
    heading: 'Recover your password',
    intro: `Enter the e-mail address of your account. ${isSent ? "We'll email you" : "You'll get"} a link to set a new password.`,
    submit: 'Send e-mail',
    otherWay: 'Remember it?',
  },
});

/** Asks for an e-mail address to send a link to; then 'Check your inbox' (ACC-02, ACC-04, ACC-05). */
export function EmailLinkPage({
  actor,
  singleSignOn,
}: {
  actor: EmailLinkActor;
  singleSignOn: SingleSignOnActor | undefined;
}) {
  const isSent = useSelector(actor, (snapshot) => snapshot.hasTag('sent'));
  const purpose = useSelector(actor, (snapshot) => snapshot.context.purpose);
  const form = useSelector(actor, (snapshot) => snapshot.children.form);
  const { heading, intro, submit, otherWay } = wordsOf(useSettings().mails === 'sent')[purpose];
  if (isSent) return <CheckInbox actor={actor} />;
  return (
    <PublicLayout
      heading={heading}
      intro={intro}
      aside={
        <>
          {otherWay} <SignInLink actor={actor}>Sign in</SignInLink>
        </>
      }
    >
      {form ? <EmailForm actor={form} submit={submit} /> : null}
      <SingleSignOnButton actor={singleSignOn} />
    </PublicLayout>
  );
}

/** Keeps where the person was going. */
function SignInLink({ actor, children }: { actor: EmailLinkActor; children: ReactNode }) {
  const from = useSelector(actor, (snapshot) => snapshot.context.from);
  return <TextLink to={{ screen: 'signIn', ...(from ? { from } : {}) }}>{children}</TextLink>;
}

function EmailForm({ actor, submit }: { actor: FormActor<{ email: string }>; submit: string }) {
  return (
    <Form actor={actor}>
      <FormField
        actor={actor}
        field="email"
        id="email"
        label="E-mail"
        type="email"
        autoComplete="email"
        takesFocus
        required
      />
      <SubmitButton busy={useSubmitting(actor)} busyLabel="Sending…" w="full">
        {submit}
      </SubmitButton>
    </Form>
  );
}

function CheckInbox({ actor }: { actor: EmailLinkActor }) {
  const email = useSelector(actor, (snapshot) => snapshot.context.email);
  const isRecovery = useSelector(actor, (snapshot) => snapshot.context.purpose === 'passwordRecovery');
  const failure = useSelector(actor, (snapshot) => snapshot.context.failure);
  const isSending = useSelector(actor, (snapshot) => snapshot.hasTag('sending'));
  const { mails } = useSettings();
  return (
    <PublicLayout
      heading="Check your inbox"
      intro={
        <>
          If{' '}
          <Text as="strong" color="fg" fontWeight="medium">
            <bdi>{email}</bdi>
          </Text>{' '}
          {isRecovery ? 'has an account' : 'can sign up'}, a link is{' '}
          {mails === 'sent' ? 'on its way. Give it a minute, and check your spam folder.' : <Unsent mails={mails} />}
        </>
      }
      aside={<SignInLink actor={actor}>Back to sign in</SignInLink>}
      takesFocus
    >
      <Flex direction="column" gap="3">
        <FailureAlert failure={failure} />
        <SubmitButton
          type="button"
          variant="outline"
          busy={isSending}
          busyLabel="Sending…"
          onClick={() => actor.send({ type: 'sendAgain.requested' })}
        >
          Send again
        </SubmitButton>
        <Button variant="ghost" onClick={() => actor.send({ type: 'otherAddress.requested' })}>
          Use another address
        </Button>
      </Flex>
    </PublicLayout>
  );
}
