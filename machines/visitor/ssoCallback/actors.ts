import type { TokenPair } from '#contract/session.ts';
import type { SsoToken } from '#contract/sso.ts';
import { callbackPlaceholder, promisePlaceholder } from '../../shared/placeholder.ts';

/** POST /sso/token/ with the query that the provider sent back. */
export const exchangeQuery = promisePlaceholder<SsoToken, { query: string }>('exchangeQuery');

/** POST /sso/signup/: makes the account that the provider's user does not have yet. */
export const createAccount = promisePlaceholder<TokenPair, { signupToken: string }>('createAccount');

/** Somebody whom the provider knows and the console does not; `from` is where they were going. */
export type Newcomer = { signupToken: string; email: string; name: string; from: string | null };

/** What is kept of a newcomer for as long as the browser's tab, so that the page may be loaded anew (CON-08). */
export type NewcomerCommand = { type: 'newcomer.kept'; newcomer: Newcomer } | { type: 'newcomer.forgotten' };

export const newcomerMemory = callbackPlaceholder<NewcomerCommand>('newcomerMemory');

/** Who was kept; null where nobody was. */
export const recallNewcomer = promisePlaceholder<Newcomer | null>('recallNewcomer');
