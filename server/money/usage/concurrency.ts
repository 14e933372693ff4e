/**
 * Twice the lease of a session, to allow for different clocks, milliseconds. A later end was written by a wrong clock.
 */
const LEASE_MAX_MS = 60_000;

/** Leases that end later than this do not count. */
export const leaseBound = (now: Date): Date => new Date(now.getTime() + LEASE_MAX_MS);
