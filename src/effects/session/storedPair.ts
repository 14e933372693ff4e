import * as v from 'valibot';
import { TOKEN_STORAGE_KEY, TokenPair } from '#contract/session.ts';
import { readJson, type TextStorage } from '../browser/webStorage.ts';

/** Reads the stored pair of tokens. Removes anything else in its place (SES-01). */
export const readPair = (storage: TextStorage): TokenPair | null =>
  readJson(storage, TOKEN_STORAGE_KEY, (value) => {
    const parsed = v.safeParse(TokenPair, value);
    return parsed.success ? parsed.output : undefined;
  }) ?? null;

/** Whether the access token has expired. @param now milliseconds since the epoch */
export const isExpired = (pair: TokenPair, now: number): boolean => now >= pair.access_expires_at * 1000;
