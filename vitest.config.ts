import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx', 'model-tests/**/*.test.ts'],
    // Two cores, and the engine's files load a model each.
    maxWorkers: 2,
    // As in playwright.config.ts.
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
