/** A program and its environment. */
export interface Fetched {
  command: string;
  env: Record<string, string>;
}
/** @throws Error if it is missing, with what helps */
export function findFetched(name: 'promtool' | 'haproxy' | 'pgbouncer' | 'systemd-analyze'): Fetched;
/** The library that gives a program a wrong clock. @throws Error if it is missing, with what helps */
export function findFaketimeLibrary(): string;
/** Fetches missing programs where that is possible. */
export function ensureFetched(): void;
