import type { TokenPair } from '#contract/session.ts';
import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

export type PasswordPurpose = 'activation' | 'passwordReset';

/** The opened link. */
export type PasswordLink = { purpose: PasswordPurpose; token: string };

/** The link's owner, and the path that they were going to when they requested it. */
export type PasswordLinkOwner = { email: string; from: string | null };

/** Rejects with a CallError whose errorType may be token_used, token_expired or token_not_found. */
export const readLink = promisePlaceholder<PasswordLinkOwner, PasswordLink>('readLink');

/** `about` of the form; the password advice uses the e-mail. */
export type PasswordLinkAbout = PasswordLink & { email: string };
/** Sets the password and signs in; rejects like {@link readLink}. */
export const setPassword = promisePlaceholder<TokenPair, Submitted<{ password: string }, PasswordLinkAbout>>(
  'setPassword',
);
