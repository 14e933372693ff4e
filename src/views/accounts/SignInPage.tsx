import { useSelector } from '@xstate/react';
import { SIGN_OUT_REASONS } from '#machines/root/texts.ts';
import { signInOf, singleSignOnOf } from '#machines/root/select.ts';
import type { SignInActor } from '#machines/visitor/signIn/machine.ts';
import { useRoot } from '../../actors.ts';
import { Form, FormField, useSubmitting } from '../ui/Form.tsx';
import { useRoute } from '../ui/state.ts';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { PublicLayout } from './PublicLayout.tsx';
import { SingleSignOnButton } from './SingleSignOnButton.tsx';

/** Sign-in by e-mail and password, or by single sign-on; links to sign up and to recover a password (ACC-01). */
export function SignInPage() {
  const root = useRoot();
  const actor = useSelector(root, signInOf);
  const singleSignOn = useSelector(root, singleSignOnOf);
  const signOutReason = useSelector(root, ({ context }) => context.signOutReason);
  const route = useRoute();
  const from = route.screen === 'signIn' ? route.from : undefined;
  return (
    <PublicLayout
      heading="Sign in"
      intro={
        signOutReason === null ? undefined : (
          <span id={REASON_ID} role="status">
            {SIGN_OUT_REASONS[signOutReason]}
          </span>
        )
      }
      aside={
        <span>
          New here?{' '}
          <TextLink to={{ screen: 'signUp', ...(from === undefined ? {} : { from }) }}>Create an account</TextLink>
        </span>
      }
    >
      {actor ? <SignInForm actor={actor} hasReason={signOutReason !== null} /> : null}
      <SingleSignOnButton actor={singleSignOn} />
    </PublicLayout>
  );
}

// The e-mail field takes the focus and names this element as its description, because few screen readers announce a
// live region that appears together with its text.
const REASON_ID = 'signOutReason';

function SignInForm({ actor, hasReason }: { actor: SignInActor; hasReason: boolean }) {
  return (
    <Form actor={actor}>
      <FormField
        actor={actor}
        field="email"
        id="email"
        label="E-mail"
        type="email"
        autoComplete="username"
        takesFocus
        required
        describedBy={hasReason ? REASON_ID : undefined}
      />
      <FormField
        actor={actor}
        field="password"
        id="password"
        label="Password"
        type="password"
        autoComplete="current-password"
        hint={<TextLink to={{ screen: 'passwordRecovery' }}>Forgot your password?</TextLink>}
        required
      />
      <SubmitButton busy={useSubmitting(actor)} busyLabel="Signing in…" w="full">
        Sign in
      </SubmitButton>
    </Form>
  );
}
