import type { HttpBindings } from '@hono/node-server';
import type { Role } from '#contract/roles.ts';
import type { Origin } from '../platform/db/speech-tables.ts';

/** Who is signed in, from a verified access token. */
export interface SignedIn {
  userId: string;
  sessionId: string;
  /** When the access token runs out, seconds since the epoch. */
  accessExpiresAt: number;
  email: string;
}

/** An organization, and what somebody is in it. */
export interface OrganizationAccess {
  organizationId: string;
  role: Role;
}

/** A project that a user sees, and what they are in its organization. */
export interface ProjectAccess extends OrganizationAccess {
  projectId: string;
  name: string;
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
    /** Set by `requireUser` and `requireMember`. */
    user: SignedIn;
    /** The organization or project that the path names, set by `requireMember`; undefined where it is not theirs, or does not exist. */
    organization: OrganizationAccess | undefined;
    project: ProjectAccess | undefined;
    /** Set by `requireCaller`. */
    caller: Caller;
    /** Extra fields for the access log line; plain values, nothing secret. */
    logFields: Record<string, string | number | boolean> | undefined;
  };
}
