import type { TokenPair } from '#contract/session.ts';

/** What the API clients need of the session. */
export type SessionPort = {
  /** The pair to call with, as soon as the session is decided and the pair is fresh; null when signed out (SES-04, SES-05). */
  tokens: (signal?: AbortSignal) => Promise<TokenPair | null>;
  /** A call with this access token was answered 401, or 403 (SES-06). */
  refused: (access: string, status: number) => void;
  /** The server says that the person's account was deleted. */
  deleted: () => void;
};
