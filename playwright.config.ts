import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chromium, defineConfig } from '@playwright/test';

/** Given by CHROMIUM_PATH, or Playwright's own where it is installed, or the system's. */
const own = existsSync(chromium.executablePath());
const full =
  process.env['CHROMIUM_PATH'] ??
  (own
    ? undefined
    : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path)));
/** Chromium without a window: a page costs two thirds. Playwright's own comes with its Chromium. */
const shell = ['/usr/bin/chromium-headless-shell'].find((path) => existsSync(path));
const asShell = { channel: 'chromium-headless-shell', executablePath: shell };
const asFull = { channel: 'chromium', executablePath: full };

/** The shell has nobody to ask for the microphone: it has to grant it always. What is about a refusal runs in the whole browser. */
const REFUSED = /@refused/;
/** They share a server with a past. */
const BILLED = /\/(screens|reports|transactions|figures|filters)\.journey\.ts$/;

/** What the fake microphone hears; spoken English, see test/audio. */
const microphone = fileURLToPath(new URL('test/audio/microphone-44k.wav', import.meta.url));

const granted = browserOf(shell || own ? asShell : asFull, ['--use-fake-ui-for-media-stream']);

export default defineConfig({
  testDir: '.',
  testMatch: ['test/journeys/**/*.journey.ts', 'model-tests/browser/**/*.chromium.ts'],
  outputDir: '.cache/playwright',
  globalSetup: './test/journeys/global-setup.ts',
  fullyParallel: false,
  // Two cores: a third worker takes the time from the others.
  workers: 2,
  // In CI a test that fails is run once more. What passes then is named at the end of the run, which three such tests may be in.
  retries: process.env['CI'] ? 1 : 0,
  forbidOnly: true,
  // Generous, for a shared machine that takes its cores away for a while; no test waits for them.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  use: {
    // Recording costs a tenth of the time; to look into a failure, run it again with --trace on.
    trace: 'off',
    // What moves is painted again and again; the journeys of dialogs and of the look of things see it move.
    contextOptions: { reducedMotion: 'reduce' },
  },
  projects: [
    { name: 'refused', testIgnore: BILLED, grep: REFUSED, use: browserOf(asFull) },
    { name: 'granted', testIgnore: BILLED, grepInvert: REFUSED, use: granted },
    // Last: what they start from is made beside the others.
    { name: 'billed', testMatch: BILLED, use: granted },
  ],
});

function browserOf(
  { channel, executablePath }: { channel: string; executablePath: string | undefined },
  args: readonly string[] = [],
) {
  return {
    browserName: 'chromium' as const,
    channel,
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
        // A page lives for seconds: code that is made faster beside it costs a fifth more than it saves.
        '--js-flags=--no-opt --no-maglev --single-threaded-gc',
        ...args,
      ],
    },
  };
}
