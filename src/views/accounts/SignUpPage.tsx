import { Button, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { SignUpActor } from '#machines/signUp/machine.ts';
import { useRoot } from '../../actors.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, FormField, type FormActor, useSubmitting } from '../ui/Form.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { PublicLayout } from './PublicLayout.tsx';

/** Asks for the e-mail of a new account, or of one that was never activated; then 'Check your inbox' (ACC-02, ACC-04). */
export function SignUpPage() {
  const actor = useSelector(useRoot(), (snapshot) => snapshot.children.signUp ?? snapshot.children.resendActivation);
  return actor ? <SignUp actor={actor} /> : null;
}

const WORDS = {
  signUp: {
    heading: 'Create an account',
    intro: 'We send you an e-mail with a link; there you choose a password.',
    submit: 'Sign up',
  },
  resendActivation: {
    heading: 'Resend activation e-mail',
    intro: 'Enter the e-mail address that you signed up with.',
    submit: 'Send e-mail',
  },
};

function SignUp({ actor }: { actor: SignUpActor }) {
  const isSent = useSelector(actor, (snapshot) => snapshot.hasTag('sent'));
  const purpose = useSelector(actor, (snapshot) => snapshot.context.purpose);
  const form = useSelector(actor, (snapshot) => snapshot.children.form);
  if (isSent) return <CheckInbox actor={actor} />;
  const { heading, intro, submit } = WORDS[purpose];
  return (
    <PublicLayout
      heading={heading}
      intro={intro}
      aside={
        <>
          Already have an account? <TextLink to={{ screen: 'signIn' }}>Sign in</TextLink>
        </>
      }
    >
      {form ? <EmailForm actor={form} submit={submit} /> : null}
    </PublicLayout>
  );
}

function EmailForm({ actor, submit }: { actor: FormActor<{ email: string; purpose: string }>; submit: string }) {
  return (
    <Form actor={actor}>
      <FormField actor={actor} field="email" id="email" label="E-mail" type="email" autoComplete="email" takesFocus required />
      <SubmitButton busy={useSubmitting(actor)} busyLabel="Sending…" w="full">
        {submit}
      </SubmitButton>
    </Form>
  );
}

function CheckInbox({ actor }: { actor: SignUpActor }) {
  const email = useSelector(actor, (snapshot) => snapshot.context.email);
  const failure = useSelector(actor, (snapshot) => snapshot.context.failure);
  const isSending = useSelector(actor, (snapshot) => snapshot.hasTag('sending'));
  return (
    <PublicLayout
      heading="Check your inbox"
      intro={
        <>
          If <Text as="strong" color="fg" fontWeight="medium">{email}</Text> can be activated, an e-mail with a link is on its way. Give it a minute, and look into your spam folder too.
        </>
      }
      aside={<TextLink to={{ screen: 'signIn' }}>Back to sign in</TextLink>}
    >
      <Flex direction="column" gap="3">
        <FailureAlert failure={failure} />
        <SubmitButton type="button" variant="outline" busy={isSending} busyLabel="Sending…" onClick={() => actor.send({ type: 'sendAgain.requested' })}>
          Send again
        </SubmitButton>
        <Button variant="ghost" onClick={() => actor.send({ type: 'otherAddress.requested' })}>
          Use another address
        </Button>
      </Flex>
    </PublicLayout>
  );
}
