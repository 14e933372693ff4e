import type { TokenPair } from '#contract/session.ts';
import { callbackPlaceholder, promisePlaceholder } from '../shared/placeholder.ts';

/** Reads the stored pair and verifies or refreshes it (SES-10); null if there is no valid one. */
export const restoreTokens = promisePlaceholder<TokenPair | null>('restoreTokens');

/** POST /token/refresh/; rejects with a CallError. May wait for a refresh by another tab. */
export const refreshTokens = promisePlaceholder<TokenPair, { refresh: string }>('refreshTokens');

/** POST /token/invalidate/. */
export const invalidateTokens = promisePlaceholder<void, { refresh: string }>('invalidateTokens');

/** To the store: keep this pair, or clear the store if null. */
export type TokensSaved = { type: 'tokens.saved'; tokens: TokenPair | null };
/** From the store: another tab has changed the pair. */
export type TokensChanged = { type: 'tokens.changed'; tokens: TokenPair | null };
/** Keeps the pair under `jwt`; sends {@link TokensChanged} to the session when another tab writes. */
export const tokenStore = callbackPlaceholder<TokensSaved>('tokenStore');
