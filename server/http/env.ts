import type { HttpBindings } from '@hono/node-server';

/** Who is signed in, from a verified access token. */
export interface SignedIn {
  userId: string;
  sessionId: string;
  email: string;
}

/** What every route can read from its context. */
export interface AppEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** Set by `requireUser`. */
    user: SignedIn;
    /** Extra fields for the access log line; plain values, nothing secret. */
    logFields: Record<string, string | number | boolean> | undefined;
  };
}
