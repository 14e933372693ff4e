// Accounts, sessions and single sign-on.
import {
  AccountDeletion,
  AccountDeletionCheck,
  Activation,
  ActivationRequest,
  PasswordChange,
  PasswordResetRequest,
  Recovery,
  RecoveryRequest,
  User,
  UserUpdate,
  VerifyEmailRequest,
} from '../accounts.ts';
import { RefreshRequest, SignInRequest, TokenPair, VerifyRequest } from '../session.ts';
import { SsoRedirect, SsoRedirectRequest, SsoSignUpRequest, SsoToken, SsoTokenRequest } from '../sso.ts';
import { example, ORGANIZATION, ACCESS, REFRESH, PERSON } from './example.ts';

export const ACCOUNT_EXAMPLES = [
  example(SignInRequest, { email: 'ada@example.com', password: 'correct horse battery staple' }),
  example(TokenPair, { access: ACCESS, refresh: REFRESH, access_expires_at: 1_777_887_600 }),
  example(RefreshRequest, { refresh: REFRESH }),
  example(VerifyRequest, { token: ACCESS }),
  example(SsoRedirectRequest, { from: '/user/settings/' }),
  example(SsoRedirect, { url: 'https://id.example.com/authorize?client_id=console&response_type=code&state=c3RhdGU' }),
  example(SsoTokenRequest, { query: 'code=b25lLXRpbWU&state=c3RhdGU' }),
  example(SsoToken, {
    outcome: 'signed_in',
    tokens: { access: ACCESS, refresh: REFRESH, access_expires_at: 1_777_887_600 },
    from: '/user/settings/',
  }),
  example(SsoSignUpRequest, { signup_token: 'c2lnbi11cA' }),
  example(VerifyEmailRequest, { email: 'ada@example.com' }),
  example(Activation, { email: 'ada@example.com', from: null }),
  example(ActivationRequest, { password: 'correct horse battery staple' }),
  example(RecoveryRequest, { email: 'ada@example.com' }),
  example(Recovery, { email: 'ada@example.com' }),
  example(PasswordResetRequest, { password: 'a new one for the engine' }),
  example(PasswordChange, {
    current_password: 'correct horse battery staple',
    new_password: 'a new one for the engine',
  }),
  example(UserUpdate, { name: 'Ada Lovelace' }),
  example(AccountDeletionCheck, {
    organizations: [{ uuid: ORGANIZATION, name: 'Analytical Engines', others: 2 }],
    api_keys: 1,
    confirmed_by: 'password',
  }),
  example(AccountDeletion, { email: 'ada@example.com', password: 'correct horse battery staple' }),
  example(User, { uuid: PERSON, email: 'ada@example.com', name: 'Ada Lovelace', has_password: true }),
] as const;
