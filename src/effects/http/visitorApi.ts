/** The calls of the main API that the public screens besides sign-in need (spec §7). */
import {
  Activation,
  type ActivationRequest,
  type PasswordResetRequest,
  Recovery,
  type RecoveryRequest,
  User,
  type VerifyEmailRequest,
} from '#contract/accounts.ts';
import { InvitationAccepted, InvitationView } from '#contract/members.ts';
import { Empty, TokenPair } from '#contract/session.ts';
import { type SsoSignUpRequest, SsoToken, type SsoTokenRequest } from '#contract/sso.ts';
import type { Caller } from './caller.ts';

export function createVisitorApi(call: Caller) {
  type Signal = AbortSignal | undefined;
  return {
    verifyEmail: (request: VerifyEmailRequest, signal?: Signal) =>
      call('put', 'signup/verify-email/', { json: request, schema: Empty, signal }),
    readActivation: (token: string, signal?: Signal) =>
      call('get', `signup/${segment(token)}/`, { schema: Activation, signal }),
    activate: (token: string, request: ActivationRequest, signal?: Signal) =>
      call('put', `signup/${segment(token)}/`, { json: request, schema: TokenPair, signal }),

    recoverPassword: (request: RecoveryRequest, signal?: Signal) =>
      call('put', 'user/password/recover/', { json: request, schema: Empty, signal }),
    readRecovery: (token: string, signal?: Signal) =>
      call('get', `user/password/${segment(token)}/`, { schema: Recovery, signal }),
    resetPassword: (token: string, request: PasswordResetRequest, signal?: Signal) =>
      call('post', `user/password/${segment(token)}/`, { json: request, schema: TokenPair, signal }),

    ssoToken: (request: SsoTokenRequest, signal?: Signal) =>
      call('post', 'sso/token/', { json: request, schema: SsoToken, signal }),
    ssoSignUp: (request: SsoSignUpRequest, signal?: Signal) =>
      call('post', 'sso/signup/', { json: request, schema: TokenPair, signal }),

    readInvitation: (token: string, signal?: Signal) => call('get', invite(token), { schema: InvitationView, signal }),
    acceptInvitation: (token: string, signal?: Signal) =>
      call('post', invite(token), { schema: InvitationAccepted, signal }),
    /** Who is signed in, to tell whether an invitation is for them. */
    user: (signal?: Signal) => call('get', 'user/', { schema: User, signal }),
  };
}

const segment = encodeURIComponent;
const invite = (token: string) => `organizations/invite/${segment(token)}/`;
