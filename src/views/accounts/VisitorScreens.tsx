import { shallowEqual, useSelector } from '@xstate/react';
import type { VisitorActor } from '#machines/visitor/machine.ts';
import { EmailLinkPage } from './EmailLinkPage.tsx';
import { InvitePage } from './InvitePage.tsx';
import { PasswordLinkPage } from './PasswordLinkPage.tsx';
import { SsoCallbackPage } from './SsoCallbackPage.tsx';

/** The screen whose actor the visitor chart runs. */
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
  // The key remounts a screen that follows another of its kind, so that it takes the focus again.
  if (emailLink) return <EmailLinkPage key={emailLink.sessionId} actor={emailLink} singleSignOn={singleSignOn} />;
  if (passwordLink) return <PasswordLinkPage key={passwordLink.sessionId} actor={passwordLink} />;
  if (ssoCallback) return <SsoCallbackPage key={ssoCallback.sessionId} actor={ssoCallback} />;
  return invite ? <InvitePage key={invite.sessionId} actor={invite} /> : null;
}
