import * as v from 'valibot';
import { TOKEN_STORAGE_KEY, TokenPair } from '#contract/session.ts';
import { readJson, type TextStorage } from '../browser/webStorage.ts';

/** The pair of tokens that is kept; anything else in its place is removed (SES-01). */
export const readPair = (storage: TextStorage): TokenPair | null =>
  readJson(storage, TOKEN_STORAGE_KEY, (value) => {
    const parsed = v.safeParse(TokenPair, value);
    return parsed.success ? parsed.output : undefined;
  }) ?? null;

/** Whether its access token has run out. @param now milliseconds since the epoch */
export const isExpired = (pair: TokenPair, now: number): boolean => now >= pair.access_expires_at * 1000;
