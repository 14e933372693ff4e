import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, defineConfig } from '@playwright/test';

const system = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const executablePath = process.env['CHROMIUM_PATH'] ?? (existsSync(chromium.executablePath()) ? undefined : system);
/** What the fake microphone hears; spoken English, see test/audio. */
const microphone = fileURLToPath(new URL('test/audio/microphone-44k.wav', import.meta.url));

export default defineConfig({
  testDir: '.',
  testMatch: ['test/journeys/**/*.journey.ts', 'model-tests/browser/**/*.chromium.ts'],
  outputDir: '.cache/playwright',
  globalSetup: './test/journeys/global-setup.ts',
  fullyParallel: false,
  workers: 3,
  forbidOnly: true,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    browserName: 'chromium',
    // Playwright's default headless shell has no microphone.
    channel: 'chromium',
    // Recording costs a tenth of the time; to look into a failure, run it again with --trace on.
    trace: 'off',
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: [
        '--use-fake-device-for-media-stream',
        `--use-file-for-fake-audio-capture=${microphone}`,
        '--autoplay-policy=no-user-gesture-required',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
});
