import type { TokenPair } from '#contract/session.ts';
import type { SsoToken } from '#contract/sso.ts';
import { callbackPlaceholder, promisePlaceholder } from '../../shared/placeholder.ts';

/** POST /sso/token/ with the query from the provider. */
export const exchangeQuery = promisePlaceholder<SsoToken, { query: string }>('exchangeQuery');

/** POST /sso/signup/: creates an account for the provider's user. */
export const createAccount = promisePlaceholder<TokenPair, { signupToken: string }>('createAccount');

/** A user of the provider who has no account here; `from` is the path that they were going to. */
export type Newcomer = { signupToken: string; email: string; name: string; from: string | null };

/** Keeps or forgets a newcomer, for the life of the browser tab, so that a reload can ask again (CON-08). */
export type NewcomerCommand = { type: 'newcomer.kept'; newcomer: Newcomer } | { type: 'newcomer.forgotten' };

export const newcomerMemory = callbackPlaceholder<NewcomerCommand>('newcomerMemory');

/** The kept newcomer; null if there is none. */
export const recallNewcomer = promisePlaceholder<Newcomer | null>('recallNewcomer');
