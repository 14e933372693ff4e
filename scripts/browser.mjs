/**
 * Finds a Chromium for the journeys: CHROMIUM_PATH, Playwright's own, or the system's. If there is none, installs
 * Debian's packages (as root) or Playwright's download. Beside Debian's Chromium installs its faster headless shell.
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

/** @returns {Promise<string | undefined | null>} undefined for Playwright's own browser, null if there is none */
export async function findBrowser() {
  const fromEnvironment = process.env['CHROMIUM_PATH'];
  if (fromEnvironment) return fromEnvironment;
  const { chromium } = await import('playwright-core');
  if (existsSync(chromium.executablePath())) return undefined;
  return SYSTEM.find((path) => existsSync(path)) ?? null;
}

const run = (command, args) => spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status === 0;

/** Like {@link findBrowser}, but installs what is missing. If that fails, says what to do, and exits. */
export async function ensureBrowser() {
  const found = await findBrowser();
  const canInstall = existsSync('/etc/debian_version') && process.getuid?.() === 0;
  // Without the headless shell all tests run in the full browser, which is slower.
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
