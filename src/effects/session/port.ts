import type { TokenPair } from '#contract/session.ts';

/** The session for the API clients. */
export type SessionPort = {
  /** Waits for a fresh pair of tokens; null if signed out (SES-04, SES-05). */
  tokens: (signal?: AbortSignal) => Promise<TokenPair | null>;
  /** Reports a 401 or 403 for a call with this access token (SES-06). */
  refused: (access: string, status: number) => void;
  /** Reports that the account was deleted. */
  deleted: () => void;
};
