/** A program, and what it needs in its environment. */
export interface Fetched {
  command: string;
  env: Record<string, string>;
}
/** @throws Error where there is none, with what helps */
export function findFetched(name: 'promtool' | 'haproxy' | 'pgbouncer' | 'systemd-analyze'): Fetched;
/** The library that a program is started with whose clock is wrong. @throws Error where there is none, with what helps */
export function findFaketimeLibrary(): string;
/** Fetches what is not there, where that is possible. */
export function ensureFetched(): void;
