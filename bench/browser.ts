/** A real server and a real Chromium for the figures that only exist in a browser. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, type BrowserContextOptions, type Page, chromium } from 'playwright';
import { ConsoleServer, DEMO_EMAIL, DEMO_PASSWORD } from '../test/journeys/server.ts';

const microphone = fileURLToPath(new URL('../test/audio/microphone-44k.wav', import.meta.url));

/** Opens a fresh browser: nothing cached, nothing stored but what the options bring. */
export type OpenBrowser = (options?: BrowserContextOptions) => Promise<BrowserContext>;

/**
 * Waits until the processes of a new tab are there, which take a third of a second of both cores: a person types an address into a tab
 * that is open.
 */
export const tabIsOpen = (page: Page): Promise<void> => page.waitForTimeout(1000);

/** Runs `measure` against a console at `url`, a fresh one unless it gets a data directory; everything is released afterwards, that too. */
export async function withConsole<T>(
  measure: (open: OpenBrowser, url: string) => Promise<T>,
  settings: Record<string, string> = {},
  directory: string = mkdtempSync(join(tmpdir(), 'parlance-bench-')),
): Promise<T> {
  const server = await ConsoleServer.launch({ directory, settings, options: [] });
  const own = chromium.executablePath();
  const executablePath = process.env['CHROMIUM_PATH'] ?? (existsSync(own) ? own : '/usr/bin/chromium');
  const browser = await chromium.launch({
    channel: 'chromium',
    executablePath,
    args: [
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${microphone}`,
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
  try {
    return await measure(
      (options) => browser.newContext({ baseURL: server.url, permissions: ['microphone'], ...options }),
      server.url,
    );
  } finally {
    await browser.close();
    await server.dispose();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Signs the demo account in and opens the playground of its project. */
export async function openPlayground(page: Page, mode: 'async' | 'real-time'): Promise<void> {
  await page.goto('/signin/');
  await page.getByLabel('E-mail').fill(DEMO_EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Speech-to-Text' }).first().click();
  await page.getByRole('tab', { name: mode === 'async' ? 'REST API' : 'WebSocket API' }).click();
}
