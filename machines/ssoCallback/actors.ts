import type { TokenPair } from '#contract/session.ts';
import type { SsoToken } from '#contract/sso.ts';
import { promisePlaceholder } from '../placeholder.ts';

/** POST /sso/token/ with the query that the provider sent back. */
export const exchangeQuery = promisePlaceholder<SsoToken, { query: string }>('exchangeQuery');

/** POST /sso/signup/: makes the account that the provider's user does not have yet. */
export const createAccount = promisePlaceholder<TokenPair, { signupToken: string }>('createAccount');
