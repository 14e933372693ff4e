// Models the sign-in screen: e-mail and password for a pair of tokens (ACC-01).
// Owned by the root, while the sign-in screen shows; its output goes to the session.
import type { ActorRefFrom } from 'xstate';
import { SignInRequest } from '#contract/session.ts';
import { createForm } from '../../shared/form/machine.ts';
import { requestTokens } from './actors.ts';

export const signInMachine = createForm({
  id: 'signIn',
  schema: SignInRequest,
  initial: { email: '', password: '' },
  submit: requestTokens,
});

export type SignInActor = ActorRefFrom<typeof signInMachine>;
