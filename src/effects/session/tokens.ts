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
  /** Missing in insecure contexts and older browsers; then tabs may renew at the same time. */
  locks: Pick<LockManager, 'request'> | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
};

export type Tokens = ReturnType<typeof createTokens>;

/** Reads, stores and renews the pair of tokens, one tab at a time. */
export function createTokens({ storage, api, locks, now }: TokensOptions) {
  const read = () => readPair(storage);
  const isStale = (pair: TokenPair) => isExpired(pair, now());

  /** Stores the pair, unless another tab has stored a newer one; returns the stored pair. */
  function keep(pair: TokenPair): TokenPair {
    const stored = read();
    if (stored && stored.access_expires_at > pair.access_expires_at) return stored;
    storage.write(TOKEN_STORAGE_KEY, JSON.stringify(pair));
    return pair;
  }
  const clear = () => storage.remove(TOKEN_STORAGE_KEY);

  /**
   * Exchanges the stored pair for a newer one, one tab at a time, because a refresh token works once (SES-04). If
   * another tab has renewed it, returns that pair. Rejects if the session has ended.
   */
  async function renew(isOld: (stored: TokenPair) => boolean, signal: AbortSignal): Promise<TokenPair> {
    const exchange = async () => {
      const stored = read();
      if (!stored) throw new CallError({ message: 'The session has ended in another tab.', kind: 'OTHER' });
      if (!isOld(stored)) return stored;
      const renewed = await api.refresh(stored.refresh, signal);
      // After a sign-out meanwhile the pair must not be stored.
      return read() ? keep(renewed) : renewed;
    };
    return locks ? locks.request(LOCK, { signal }, exchange) : exchange();
  }

  /**
   * The page's first pair: verified, or renewed if it has expired or is refused (SES-10); null if none is stored.
   * Without an answer of the server it returns the stored pair, because only the server ends a session.
   * @throws CallError 401 or 403 if the server has ended the session
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

  /** Renews a pair whose access token was refused before its time, with the refresh token. */
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
    /** A newer pair, perhaps stored by another tab. */
    refresh: (signal: AbortSignal) => renew(isStale, signal),
  };
}

const isRefused = (error: unknown) => error instanceof CallError && isUnauthorized(error.failure.status ?? 0);
