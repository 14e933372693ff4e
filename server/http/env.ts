import type { HttpBindings } from '@hono/node-server';
import type { Caller, OrganizationAccess, ProjectAccess, SignedIn } from '../platform/callers.ts';

/** Variables of every route's context. */
export interface AppEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** Set by `requireUser` and `requireMember`. */
    user: SignedIn;
    /** Set by `requireMember`, if the path names one that is the user's. */
    organization: OrganizationAccess | undefined;
    project: ProjectAccess | undefined;
    /** Set by `requireCaller`. */
    caller: Caller;
    /** The JSON of the body once it is read, before it is checked. */
    json: unknown;
    /** Further fields of the access log line; nothing secret. */
    logFields: Record<string, string | number | boolean> | undefined;
  };
}
