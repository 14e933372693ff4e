import type { TokenPair } from '#contract/session.ts';
import { callbackPlaceholder, promisePlaceholder } from '../shared/placeholder.ts';

/** Reads the stored pair and checks or refreshes it (SES-10); null where there is none that is good. */
export const restoreTokens = promisePlaceholder<TokenPair | null>('restoreTokens');

/** POST /token/refresh/; rejects with a CallError. May wait for another tab that refreshes at the moment. */
export const refreshTokens = promisePlaceholder<TokenPair, { refresh: string }>('refreshTokens');

/** POST /token/invalidate/. */
export const invalidateTokens = promisePlaceholder<void, { refresh: string }>('invalidateTokens');

/** To the store: keep this pair; null clears it. */
export type TokensSaved = { type: 'tokens.saved'; tokens: TokenPair | null };
/** From the store: another tab changed what is stored. */
export type TokensChanged = { type: 'tokens.changed'; tokens: TokenPair | null };
/** Keeps the pair under `jwt`; sends {@link TokensChanged} to the session when another tab writes. */
export const tokenStore = callbackPlaceholder<TokensSaved>('tokenStore');
