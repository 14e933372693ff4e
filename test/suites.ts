/**
 * Which suite a file of Vitest's tests is in is seen from its name. The gate (`npm test`) has what is quick and decides; the
 * whole suite (`npm run test:all`) has every file. In Chromium a test is in the gate where its title ends in `@gate`.
 */

/** True in `npm test`; Vitest and Playwright started by hand run every file that they are given. */
export const isGate = process.env['SUITE'] === 'gate';

/**
 * Left to the whole suite: many recordings through the recognizer, random input, waits for a service that is away, faults of the
 * machine around a server, and what makes archives or needs programs that only the whole suite fetches.
 */
export const ONLY_WHOLE = 'test/**/*.whole.test.ts';

/**
 * In the gate these run on PostgreSQL alone, where they can fail: connections, locks, races, notifications, dying
 * processes, migrations.
 */
export const GATE_ON_POSTGRES = 'test/**/*.postgres.test.ts';
