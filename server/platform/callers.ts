/** Who calls, and what the call is about: rules take these, routes find them in the request. */
import type { Role } from '#contract/roles.ts';
import type { Origin } from './db/speech-tables.ts';

/** A signed-in user, from a verified access token. */
export interface SignedIn {
  userId: string;
  sessionId: string;
  /** When the access token expires, seconds since the epoch. */
  accessExpiresAt: number;
  email: string;
}

/** An organization, and the user's role in it. */
export interface OrganizationAccess {
  organizationId: string;
  role: Role;
}

/** A project that a user sees, and their role in its organization. */
export interface ProjectAccess extends OrganizationAccess {
  projectId: string;
  name: string;
}

/** The caller of the speech API. Every query is limited to the project. */
export interface Caller {
  projectId: string;
  origin: Origin;
  /** The program's API key; null for the console. */
  apiKeyId: string | null;
  /** The console's user; null for a program. */
  userId: string | null;
}
