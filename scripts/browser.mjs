/**
 * Finds a Chromium for the journeys, installing one where it can: CHROMIUM_PATH, Playwright's own, a system one,
 * Playwright's download, or Debian's packages (as root): Chromium, and the shell of it that makes most tests cheap.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { say, root } from './setup.mjs';

const SYSTEM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const SHELL = '/usr/bin/chromium-headless-shell';

/** Undefined means: Playwright's own browser is there. @returns {Promise<string | undefined | null>} null when there is none. */
export async function findBrowser() {
  const fromEnvironment = process.env['CHROMIUM_PATH'];
  if (fromEnvironment) return fromEnvironment;
  const { chromium } = await import('playwright-core');
  if (existsSync(chromium.executablePath())) return undefined;
  return SYSTEM.find((path) => existsSync(path)) ?? null;
}

const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0;

/** Like {@link findBrowser}, but installs one first where none is there; exits with what to do when nothing works. */
export async function ensureBrowser() {
  const found = await findBrowser();
  const canInstall = existsSync('/etc/debian_version') && process.getuid?.() === 0;
  // Beside Debian's Chromium its shell; without it all tests run in the whole browser, slower.
  const wanted = [
    ...(found === null ? ['chromium'] : []),
    ...(found === undefined || existsSync(SHELL) ? [] : ['chromium-headless-shell']),
  ];
  if (canInstall && wanted.length > 0) {
    say('Installing Chromium for the tests…');
    run('apt-get', ['update']);
    run('apt-get', ['install', '-y', '--no-install-recommends', ...wanted]);
    const installed = await findBrowser();
    if (installed !== null) return installed;
  }
  if (found !== null) return found;
  say('Installing Chromium for the tests…');
  if (run(process.execPath, ['node_modules/playwright/cli.js', 'install', 'chromium'])) return findBrowser();
  console.error(
    'No Chromium found, and none could be installed. Install one (Debian: apt-get install chromium), or set CHROMIUM_PATH to one.',
  );
  process.exit(1);
}
