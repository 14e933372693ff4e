import { Button, Flex, Text } from '@chakra-ui/react';
import { useSelector } from '@xstate/react';
import type { ReactNode } from 'react';
import type { PageSettings } from '#contract/settings.ts';
import type { EmailPurpose } from '#machines/visitor/emailLink/actors.ts';
import type { EmailLinkActor } from '#machines/visitor/emailLink/machine.ts';
import type { SingleSignOnActor } from '#machines/visitor/singleSignOn/machine.ts';
import { FailureAlert } from '../ui/FailureAlert.tsx';
import { Form, FormField, type FormActor, useSubmitting } from '../ui/Form.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { useSettings } from '../ui/state.ts';
import { TextLink } from '../ui/TextLink.tsx';
import { OutboxLink } from '../ui/OutboxLink.tsx';
import { PublicLayout } from './PublicLayout.tsx';
import { SingleSignOnButton } from './SingleSignOnButton.tsx';

type Words = { heading: string; intro: string; submit: string; otherWay: string };

/** While the server creates a link, and sends it if it can. */
const BUSY = 'One moment…';

/** @param canSend whether the server can send e-mail */
const wordsOf = (canSend: boolean): Record<EmailPurpose, Words> => ({
  signUp: {
    heading: 'Create an account',
    intro: canSend ? "We'll email you a link to set your password." : "You'll get a link to set your password.",
    submit: 'Sign up',
    otherWay: 'Already have an account?',
  },
  resendActivation: {
    heading: canSend ? 'Resend activation e-mail' : 'Get another activation link',
    intro: 'Enter the e-mail address that you signed up with.',
    submit: canSend ? 'Send e-mail' : 'Get a link',
    otherWay: 'Already have an account?',
  },
  passwordRecovery: {
    heading: 'Recover your password',
    intro: `Enter the e-mail address of your account. ${canSend ? "We'll email you" : "You'll get"} a link to set a new password.`,
    submit: canSend ? 'Send e-mail' : 'Get a link',
    otherWay: 'Remember it?',
  },
});

/** Tells where to find the link (UXP-33). */
const HEADINGS: Record<PageSettings['mails'], string> = {
  sent: 'Check your inbox',
  outboxOpen: 'Check the outbox',
  outboxClosed: 'Ask your administrator for the link',
  lost: "This server can't send e-mail",
};

/** The end of a sentence: where to find a link that the server could not e-mail. */
function WhereLinkIs({ mails, link }: { mails: PageSettings['mails']; link: string }) {
  if (mails === 'outboxClosed') return <span>{`your administrator has ${link}.`}</span>;
  if (mails === 'lost') return <span>{`${link} can't reach you. Ask your administrator to set SMTP_URL.`}</span>;
  return (
    <span>
      <span>{link}</span> is in <OutboxLink />.
    </span>
  );
}

/** Asks for an e-mail address, then says where to find the link (ACC-02, ACC-04, ACC-05). */
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
          <span>{otherWay}</span> <SignInLink actor={actor}>Sign in</SignInLink>
        </>
      }
    >
      {form ? <EmailForm actor={form} submit={submit} /> : null}
      <SingleSignOnButton actor={singleSignOn} />
    </PublicLayout>
  );
}

/** A link to sign-in, which then leads on to the page that the person first asked for. */
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
      <SubmitButton busy={useSubmitting(actor)} busyLabel={BUSY} w="full">
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
      heading={HEADINGS[mails]}
      intro={
        <>
          <span>{mails === 'sent' ? 'If' : "This server can't send e-mail. If"}</span>{' '}
          <Text as="strong" color="fg" fontWeight="medium">
            <bdi>{email}</bdi>
          </Text>{' '}
          <span>{isRecovery ? 'has an account,' : 'can sign up,'}</span>{' '}
          {mails === 'sent' ? (
            <span>a link is on its way. Give it a minute, and check your spam folder.</span>
          ) : (
            <WhereLinkIs mails={mails} link={isRecovery ? 'the link for a new password' : 'the activation link'} />
          )}
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
          busyLabel={BUSY}
          onClick={() => actor.send({ type: 'sendAgain.requested' })}
        >
          {mails === 'sent' ? 'Send again' : 'Get another link'}
        </SubmitButton>
        <Button variant="ghost" onClick={() => actor.send({ type: 'otherAddress.requested' })}>
          Use another address
        </Button>
      </Flex>
    </PublicLayout>
  );
}
