import { useSelector } from '@xstate/react';
import { FAREWELLS } from '#machines/root/texts.ts';
import { signInOf, singleSignOnOf } from '#machines/root/select.ts';
import type { SignInActor } from '#machines/visitor/signIn/machine.ts';
import { useRoot } from '../../actors.ts';
import { Form, FormField, useSubmitting } from '../ui/Form.tsx';
import { useRoute } from '../ui/state.ts';
import { SubmitButton } from '../ui/SubmitButton.tsx';
import { TextLink } from '../ui/TextLink.tsx';
import { PublicLayout } from './PublicLayout.tsx';
import { SingleSignOnButton } from './SingleSignOnButton.tsx';

/** E-mail and password for a session, and the other ways in (ACC-01). */
export function SignInPage() {
  const root = useRoot();
  const actor = useSelector(root, signInOf);
  const singleSignOn = useSelector(root, singleSignOnOf);
  const farewell = useSelector(root, ({ context }) => context.farewell);
  const route = useRoute();
  const from = route.screen === 'signIn' ? route.from : undefined;
  return (
    <PublicLayout
      heading="Sign in"
      intro={
        farewell === null ? undefined : (
          <span id={FAREWELL} role="status">
            {FAREWELLS[farewell]}
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
      {actor ? <SignInForm actor={actor} hasFarewell={farewell !== null} /> : null}
      <SingleSignOnButton actor={singleSignOn} />
    </PublicLayout>
  );
}

// Told with the field that takes the focus: a live region that comes with its text is told by few screen readers.
const FAREWELL = 'farewell';

function SignInForm({ actor, hasFarewell }: { actor: SignInActor; hasFarewell: boolean }) {
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
        describedBy={hasFarewell ? FAREWELL : undefined}
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
