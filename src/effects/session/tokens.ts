import { TOKEN_STORAGE_KEY, type TokenPair } from '#contract/session.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { SessionApi } from './sessionApi.ts';
import { isUnauthorized } from '../http/unanswered.ts';
import type { TextStorage } from '../browser/webStorage.ts';
import { isExpired, readPair } from './storedPair.ts';

const LOCK = 'token-refresh';

export type TokensOptions = {
  storage: TextStorage;
  api: Pick<SessionApi, 'refresh' | 'verify'>;
  /** Absent in insecure contexts and older browsers: then only this tab is in order. */
  locks: Pick<LockManager, 'request'> | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
};

export type Tokens = ReturnType<typeof createTokens>;

/** The stored pair: reading, keeping, and renewing it in turn with other tabs. */
export function createTokens({ storage, api, locks, now }: TokensOptions) {
  const read = () => readPair(storage);
  const isStale = (pair: TokenPair) => isExpired(pair, now());

  /** Keeps the pair, unless another tab has stored a newer one meanwhile; returns the one that is kept then. */
  function keep(pair: TokenPair): TokenPair {
    const stored = read();
    if (stored && stored.access_expires_at > pair.access_expires_at) return stored;
    storage.write(TOKEN_STORAGE_KEY, JSON.stringify(pair));
    return pair;
  }
  const clear = () => storage.remove(TOKEN_STORAGE_KEY);

  /**
   * A newer pair in exchange for the stored one, one tab at a time: who comes second finds a pair that is no longer
   * stale and adopts it, since a refresh token works once (SES-04). Rejects where the session has ended meanwhile.
   */
  async function renew(isOld: (stored: TokenPair) => boolean, signal: AbortSignal): Promise<TokenPair> {
    const exchange = async () => {
      const stored = read();
      if (!stored) throw new CallError({ message: 'The session has ended in another tab.', kind: 'OTHER' });
      if (!isOld(stored)) return stored;
      const renewed = await api.refresh(stored.refresh, signal);
      // Signed out while the answer was on its way: nothing may come back to life.
      return read() ? keep(renewed) : renewed;
    };
    return locks ? locks.request(LOCK, { signal }, exchange) : exchange();
  }

  /**
   * The pair to start with: checked, or renewed where it is due or no longer good (SES-10); null where none is stored. Only the
   * server's word ends a session: without an answer the stored pair is taken as it is.
   * @throws CallError 401 or 403 where the server has ended it
   */
  async function restore(signal: AbortSignal): Promise<TokenPair | null> {
    const pair = read();
    if (!pair) return null;
    try {
      if (isStale(pair)) return await renew(isStale, signal);
      await api.verify(pair.access, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isRefused(error)) return read();
      if (isStale(pair)) throw error;
      return replace(pair, signal);
    }
    return read();
  }

  /** The access token is no good although its time is not up; the refresh token may still be. */
  async function replace(pair: TokenPair, signal: AbortSignal): Promise<TokenPair | null> {
    try {
      return await renew((stored) => stored.access === pair.access, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isRefused(error)) throw error;
      return read();
    }
  }

  return {
    read,
    keep,
    clear,
    restore,
    /** A newer pair, or the one that another tab has stored meanwhile. */
    refresh: (signal: AbortSignal) => renew(isStale, signal),
  };
}

const isRefused = (error: unknown) => error instanceof CallError && isUnauthorized(error.failure.status ?? 0);
