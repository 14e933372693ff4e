import type { Route } from './route.ts';

/** A screen has changed the memberships: they are read again, and then `route` opens, if it is not null. */
export type MembershipsStale = { type: 'memberships.stale'; route: Route | null };
