import { vi } from 'vitest';

/** Looks again until the check holds; patient, because tests share two cores with a recognizer. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 30_000, interval: 10 });
