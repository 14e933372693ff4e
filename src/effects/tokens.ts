import * as v from 'valibot';
import { TOKEN_STORAGE_KEY, TokenPair } from '#contract/session.ts';
import { CallError } from '#machines/failure.ts';
import type { MainApi } from './mainApi.ts';
import { readJson, type TextStorage } from './webStorage.ts';

const LOCK = 'token-refresh';

export type TokensOptions = {
  storage: TextStorage;
  api: Pick<MainApi, 'refresh' | 'verify'>;
  /** Absent in insecure contexts and older browsers: then only this tab is in order. */
  locks: Pick<LockManager, 'request'> | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
};

export type Tokens = ReturnType<typeof createTokens>;

/** The stored pair: reading, keeping, and renewing it in turn with other tabs. */
export function createTokens({ storage, api, locks, now }: TokensOptions) {
  /** What is kept, if it is a pair; anything else is removed (SES-01). */
  const read = (): TokenPair | null =>
    readJson(storage, TOKEN_STORAGE_KEY, (value) => {
      const parsed = v.safeParse(TokenPair, value);
      return parsed.success ? parsed.output : undefined;
    }) ?? null;
  const keep = (pair: TokenPair) => storage.write(TOKEN_STORAGE_KEY, JSON.stringify(pair));
  const clear = () => storage.remove(TOKEN_STORAGE_KEY);
  const isExpired = (pair: TokenPair) => now() >= pair.access_expires_at * 1000;

  /**
   * A newer pair in exchange for this one. One tab at a time: whoever comes second finds the newer pair in the storage
   * and adopts it, since a refresh token works once (SES-04). Rejects where the session has ended meanwhile.
   */
  async function refresh(pair: TokenPair, signal: AbortSignal): Promise<TokenPair> {
    const renew = async () => {
      const stored = read();
      if (!stored) throw new CallError({ message: 'The session has ended in another tab.', kind: 'OTHER' });
      if (stored.access !== pair.access && !isExpired(stored)) return stored;
      const renewed = await api.refresh(stored.refresh, signal);
      // Signed out while the answer was on its way: nothing may come back to life.
      if (read()) keep(renewed);
      return renewed;
    };
    return locks ? locks.request(LOCK, { signal }, renew) : renew();
  }

  /**
   * The pair to start with: checked, or refreshed where it is due or no longer good (SES-10). Only the server's word
   * ends a session: without an answer the stored pair is taken as it is.
   */
  async function restore(signal: AbortSignal): Promise<TokenPair | null> {
    const pair = read();
    if (!pair) return null;
    try {
      if (!isExpired(pair)) {
        await api.verify(pair.access, signal);
        return pair;
      }
    } catch (error) {
      if (!isRefused(error)) return orAbort(pair, signal);
    }
    try {
      return await refresh(pair, signal);
    } catch (error) {
      if (!isRefused(error)) return read() && orAbort(pair, signal);
      clear();
      return null;
    }
  }

  return { read, keep, clear, refresh, restore };
}

const REFUSALS = new Set([400, 401, 403, 404, 422]);
const isRefused = (error: unknown) => error instanceof CallError && error.failure.status !== undefined && REFUSALS.has(error.failure.status);

function orAbort<T>(value: T, signal: AbortSignal): T {
  signal.throwIfAborted();
  return value;
}
