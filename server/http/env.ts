import type { HttpBindings } from '@hono/node-server';
import type { Origin } from '../platform/db/speech-tables.ts';

/** Who is signed in, from a verified access token. */
export interface SignedIn {
  userId: string;
  sessionId: string;
  /** When the access token runs out, seconds since the epoch. */
  accessExpiresAt: number;
  email: string;
}

/** On whose behalf a call of the speech API runs. Every query is bound to the project. */
export interface Caller {
  projectId: string;
  origin: Origin;
  /** The key a program called with; null for the console. */
  apiKeyId: string | null;
  /** Who called from the console; null for a program. */
  userId: string | null;
}

/** What every route can read from its context. */
export interface AppEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** Set by `requireUser`. */
    user: SignedIn;
    /** Set by `requireCaller`. */
    caller: Caller;
    /** Extra fields for the access log line; plain values, nothing secret. */
    logFields: Record<string, string | number | boolean> | undefined;
  };
}
