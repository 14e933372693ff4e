import { shallowEqual, useSelector } from '@xstate/react';
import type { VisitorActor } from '#machines/visitor/machine.ts';
import { EmailLinkPage } from './EmailLinkPage.tsx';
import { InvitePage } from './InvitePage.tsx';
import { PasswordLinkPage } from './PasswordLinkPage.tsx';
import { SsoCallbackPage } from './SsoCallbackPage.tsx';

/** The visitor's screen: the one whose actor is there. */
export function VisitorScreens({ visitor }: { visitor: VisitorActor }) {
  const { emailLink, singleSignOn, passwordLink, ssoCallback, invite } = useSelector(
    visitor,
    ({ children }) => ({
      emailLink: children.signUp ?? children.resendActivation ?? children.passwordRecovery,
      singleSignOn: children.singleSignOn,
      passwordLink: children.activation ?? children.passwordReset,
      ssoCallback: children.ssoCallback,
      invite: children.invite,
    }),
    shallowEqual,
  );
  // Keyed by their actors: one screen after the other of the same kind begins anew, with its focus.
  if (emailLink) return <EmailLinkPage key={emailLink.sessionId} actor={emailLink} singleSignOn={singleSignOn} />;
  if (passwordLink) return <PasswordLinkPage key={passwordLink.sessionId} actor={passwordLink} />;
  if (ssoCallback) return <SsoCallbackPage key={ssoCallback.sessionId} actor={ssoCallback} />;
  return invite ? <InvitePage key={invite.sessionId} actor={invite} /> : null;
}
