/**
 * Takes back what a test has stubbed, timers included, as soon as it ends. Vitest's own settings do so when the next test
 * begins; in a shared process the modules of the next file would load before that, and take a stubbed `document` for a
 * browser's.
 */
import { afterEach, vi } from 'vitest';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});
