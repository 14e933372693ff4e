import { useSelector } from '@xstate/react';
import { useRoot } from '../../actors.ts';
import { Form, FormField, useSubmitting } from '../ui/Form.tsx';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { PublicLayout } from './PublicLayout.tsx';
import type { SignInActor } from '#machines/signIn/machine.ts';

/** E-mail and password for a session (ACC-01). */
export function SignInPage() {
  const actor = useSelector(useRoot(), (snapshot) => snapshot.children.signIn);
  return (
    <PublicLayout
      heading="Sign in"
      aside={
        <>
          New here? <TextLink to={{ screen: 'signUp' }}>Create an account</TextLink>
        </>
      }
    >
      {actor ? <SignInForm actor={actor} /> : null}
    </PublicLayout>
  );
}

function SignInForm({ actor }: { actor: SignInActor }) {
  return (
    <Form actor={actor}>
      <FormField actor={actor} field="email" id="email" label="E-mail" type="email" autoComplete="username" takesFocus required />
      <FormField actor={actor} field="password" id="password" label="Password" type="password" autoComplete="current-password" required />
      <SubmitButton busy={useSubmitting(actor)} busyLabel="Signing in…" w="full">
        Sign in
      </SubmitButton>
    </Form>
  );
}
