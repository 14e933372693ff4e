/** A program, and the environment variables that it needs. */
export interface Fetched {
  command: string;
  env: Record<string, string>;
}
/** @throws Error that says how to install a missing program */
export function findFetched(name: 'promtool' | 'haproxy' | 'pgbouncer' | 'systemd-analyze'): Fetched;
/** The library that gives a program a wrong clock. @throws Error that says how to install it if it is missing */
export function findFaketimeLibrary(): string;
/** Fetches missing programs if possible. */
export function ensureFetched(): void;
