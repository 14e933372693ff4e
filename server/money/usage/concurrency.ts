/** A lease ends sooner; one that does not was written by a clock that was ahead. Twice a lease, for processes whose clocks differ. Milliseconds. */
const LEASE_MAX_MS = 60_000;

/** The moment from which on a lease is none. */
export const leaseBound = (now: Date): Date => new Date(now.getTime() + LEASE_MAX_MS);
