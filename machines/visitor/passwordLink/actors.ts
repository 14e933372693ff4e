import type { TokenPair } from '#contract/session.ts';
import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

export type PasswordPurpose = 'activation' | 'passwordReset';

/** The link that was opened. */
export type PasswordLink = { purpose: PasswordPurpose; token: string };

/** Whose link it is, and where the person was going when they asked for it. */
export type PasswordLinkOwner = { email: string; from: string | null };

/** Rejects with a CallError whose errorType may be token_used, token_expired or token_not_found. */
export const readLink = promisePlaceholder<PasswordLinkOwner, PasswordLink>('readLink');

/** What its form is about; the e-mail is for the advice. */
export type PasswordLinkAbout = PasswordLink & { email: string };
/** Sets the password and signs in; rejects like {@link readLink}. */
export const setPassword = promisePlaceholder<TokenPair, Submitted<{ password: string }, PasswordLinkAbout>>(
  'setPassword',
);
