/**
 * Provides the chart of the public screens besides sign-in with its effects. Fetched when one of these screens opens.
 */
import { fromPromise } from 'xstate';
import { acceptInvitation, viewInvitation } from '#contract/api/invitations.ts';
import {
  activate,
  finishSso,
  readActivation,
  readRecovery,
  requestRecovery,
  requestSignUp,
  resetPassword,
  signUpBySso,
} from '#contract/api/sign-up.ts';
import { readUser } from '#contract/api/user.ts';
import type { InvitationAccepted, InvitationView } from '#contract/members.ts';
import type { TokenPair } from '#contract/session.ts';
import type { SsoToken } from '#contract/sso.ts';
import { emailLinkWith } from '#machines/visitor/emailLink/machine.ts';
import type { EmailAbout } from '#machines/visitor/emailLink/actors.ts';
import { inviteMachine } from '#machines/visitor/invite/machine.ts';
import type { PasswordLink, PasswordLinkAbout, PasswordLinkOwner } from '#machines/visitor/passwordLink/actors.ts';
import { passwordLinkWith } from '#machines/visitor/passwordLink/machine.ts';
import { singleSignOnMachine } from '#machines/visitor/singleSignOn/machine.ts';
import { ssoCallbackMachine } from '#machines/visitor/ssoCallback/machine.ts';
import { visitorMachine } from '#machines/visitor/machine.ts';
import { isOwnPath } from '#machines/shared/wayBack.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import type { Effects, Outside } from './index.ts';
import { createNewcomerMemory } from '../session/newcomerMemory.ts';
import { createPasswordCheck } from '../browser/passwordCheck.ts';
import { createWebStorage } from '../browser/webStorage.ts';

/** The visitor's chart, provided with its effects. @param signOn the effects of single sign-on, shared with sign-in */
export function visitorWith(
  { settings, call, referral }: Pick<Outside, 'settings' | 'call' | 'referral'>,
  signOn: Pick<Effects, 'requestSignOn' | 'leavePage'>,
) {
  /** The referral code, as a part of a request's body (SES-11). */
  const referred = () => {
    const code = referral();
    return code === undefined ? {} : { referral: code };
  };

  const requestEmail = fromPromise<void, Submitted<{ email: string }, EmailAbout>>(async ({ input, signal }) => {
    const { purpose, from } = input.about;
    const { email } = input.values;
    if (purpose === 'passwordRecovery') await call(requestRecovery, { json: { email }, signal });
    // Resending and sign-up use one call: the server sends the e-mail that fits, and never tells which (ACC-02,
    // ACC-04).
    else if (purpose === 'resendActivation') await call(requestSignUp, { json: { email }, signal });
    else await call(requestSignUp, { json: { email, ...(isOwnPath(from) ? { from } : {}), ...referred() }, signal });
  });
  const readLink = fromPromise<PasswordLinkOwner, PasswordLink>(async ({ input: { purpose, token }, signal }) =>
    purpose === 'activation'
      ? call(readActivation, { params: { token }, signal })
      : { ...(await call(readRecovery, { params: { token }, signal })), from: null },
  );
  const setPassword = fromPromise<TokenPair, Submitted<{ password: string }, PasswordLinkAbout>>(
    ({
      input: {
        about: { purpose, token },
        values,
      },
      signal,
    }) => call(purpose === 'activation' ? activate : resetPassword, { params: { token }, json: values, signal }),
  );

  const readInvitation = fromPromise<InvitationView, { token: string }>(({ input, signal }) =>
    call(viewInvitation, { params: { token: input.token }, signal }),
  );

  return visitorMachine.provide({
    actors: {
      readInvitation,
      emailLink: emailLinkWith(requestEmail),
      passwordLink: passwordLinkWith({ readLink, setPassword, checkPassword: createPasswordCheck(settings) }),
      singleSignOn: singleSignOnMachine.provide({ actors: signOn }),
      ssoCallback: ssoCallbackMachine.provide({
        actors: {
          ...createNewcomerMemory(
            createWebStorage(() => window.sessionStorage),
            settings.product,
          ),
          exchangeQuery: fromPromise<SsoToken, { query: string }>(({ input, signal }) =>
            call(finishSso, { json: { query: input.query }, signal }),
          ),
          createAccount: fromPromise<TokenPair, { signupToken: string }>(({ input, signal }) =>
            call(signUpBySso, { json: { signup_token: input.signupToken, ...referred() }, signal }),
          ),
        },
      }),
      invite: inviteMachine.provide({
        actors: {
          readInvitation,
          readUser: fromPromise<{ email: string }, void>(({ signal }) => call(readUser, { signal })),
          acceptInvitation: fromPromise<InvitationAccepted, { token: string }>(({ input, signal }) =>
            call(acceptInvitation, { params: { token: input.token }, signal }),
          ),
        },
      }),
    },
  });
}
