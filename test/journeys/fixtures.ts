/** What every journey starts with: a real server, a watched page, and a way in. */
import { type BrowserContext, type Page, expect, test as base } from '@playwright/test';
import { type Account, signInByApi, storeTokens } from './account.ts';
import { isGate } from '../suites.ts';
import { violationsOf } from './axe.ts';
import { ConsoleServer } from './server.ts';

export { expect } from '@playwright/test';
/** A long journey ends here in the gate, or leaves a part out: what follows is seen in the whole suite only. */
export { isGate } from '../suites.ts';
export { DEMO_EMAIL, DEMO_PASSWORD } from './server.ts';

/** As much of the server's log is printed of a test that failed, characters. */
const SERVER_WORDS = 6000;

type Fixtures = {
  /** Messages that the page may print in this test, besides none at all. */
  allowed: RegExp[];
  /** A page whose console errors, warnings, uncaught errors and policy violations fail the test. */
  page: Page;
};

export const test = base.extend<Fixtures, { server: ConsoleServer }>({
  server: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's dependencies from this pattern
    async ({}, use) => {
      const server = await ConsoleServer.launch();
      await use(server);
      await server.dispose();
    },
    { scope: 'worker' },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  allowed: [[], { option: true }],
  page: async ({ page, allowed, server }, use, test) => {
    const complaints = watch(page);
    const before = server.output.length;
    await use(page);
    if (test.status !== test.expectedStatus)
      console.error(`The last that the server wrote:\n${server.output.slice(before).slice(-SERVER_WORDS)}`);
    const unexpected = complaints.filter((text) => !allowed.some((pattern) => pattern.test(text)));
    // What a test answers itself may be on its way still; what is asked for from here on finds nobody.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    expect(unexpected).toEqual([]);
  },
});

const withSettings = new Map<string, typeof test>();

/** The same on a server with settings of its own; files with the same settings share it. */
export function testWith(settings: Record<string, string>): typeof test {
  const key = JSON.stringify(settings);
  const known = withSettings.get(key);
  if (known) return known;
  const made = test.extend<object, { server: ConsoleServer }>({
    server: [
      // oxlint-disable-next-line no-empty-pattern -- see above
      async ({}, use) => {
        const server = await ConsoleServer.launch({ settings });
        await use(server);
        await server.dispose();
      },
      { scope: 'worker' },
    ],
  });
  withSettings.set(key, made);
  return made;
}

/** What Chromium prints of a call whose server, or network, has gone: how far the call had come tells which. */
export const SERVER_AWAY =
  /^Failed to load resource: net::ERR_(CONNECTION_|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING|SOCKET_NOT_CONNECTED|INTERNET_DISCONNECTED)/;

/** Collects what a page complains about: console errors and warnings (policy violations are among them), uncaught errors. */
export function watch(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return complaints;
}

/** Makes the page's next visit one of somebody who is signed in. */
export async function enter(page: Page, who: { email?: string; password?: string } = {}): Promise<Account> {
  const { origin } = new URL((await page.request.get('/readyz')).url());
  const account = await signInByApi(origin, who);
  await storeTokens(page, account.tokens);
  return account;
}

/** A layer that has just opened listens for Esc and for clicks beside it only some frames later. */
export const settled = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        let frames = 4;
        const next = (): void => {
          if (frames-- > 0) requestAnimationFrame(next);
          else setTimeout(resolve);
        };
        next();
      }),
  );

/**
 * Once a page has followed the device's theme: the console does so by a script, and what is measured there is laid out
 * some frames later.
 */
export async function followed(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.waitForFunction(
    (theme) => ['', theme].includes(document.documentElement.className.match(/light|dark/)?.[0] ?? ''),
    colorScheme,
  );
  await settled(page);
}

/** Shows a page that follows the device in a window of that size, and waits until it has followed: axe would see half of each theme. */
export async function showIn(
  page: Page,
  { colorScheme, ...size }: { width: number; height: number; colorScheme: 'light' | 'dark' },
): Promise<void> {
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme });
  await followed(page, colorScheme);
}

/** Presses Esc once whatever has opened listens. */
export async function pressEscape(page: Page): Promise<void> {
  await settled(page);
  await page.keyboard.press('Escape');
}

/** The row of the sidebar that says who is signed in; in a narrow window it is in the drawer. */
export const accountRow = (page: Page) => page.getByRole('button', { name: /^Account: / });

/** Signs out by the account's menu; where something is lost with it, the page asks first (CON-01). */
export async function signOut(page: Page, { isAsked = false } = {}): Promise<void> {
  await accountRow(page).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  if (isAsked)
    await page.getByRole('alertdialog', { name: 'Sign out now?' }).getByRole('button', { name: 'Sign out' }).click();
}

/** Opens the console as somebody who is signed in, past the form. */
export async function signIn(
  page: Page,
  { path = '/', ...who }: { email?: string; password?: string; path?: string } = {},
): Promise<Account> {
  const account = await enter(page, who);
  await page.goto(path);
  await expect(accountRow(page)).toBeVisible();
  return account;
}

/** Stops the page's clock half a second from now: it cannot go back, so again where the machine took longer than that. */
export const stopClock = (page: Page) =>
  expect(async () => page.clock.pauseAt((await page.evaluate(() => Date.now())) + 500)).toPass();

/**
 * Puts the computer's clock that many milliseconds from the true time, until the page is loaded again. Only what the clock
 * says moves: Playwright's own replaces timers and frames, too, after which a dialog that fades out may never be gone.
 */
export const setClockOff = (page: Page, offMs: number) =>
  page.evaluate((by) => {
    Date.now = () => Math.round(performance.timeOrigin + performance.now() + by);
  }, offMs);

/** Once nothing moves any more but what moves for ever: what fades in has no contrast yet. */
export const restOf = (page: Page) =>
  page.evaluate(async () => {
    const passing = document
      .getAnimations()
      .filter((animation) => animation.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(passing.map(({ finished }) => finished));
  });

/**
 * axe finds nothing on the page, or in some parts of it, once it has come to rest. It takes about a second: the gate leaves
 * it to `screens.journey.ts`, which looks at each screen once.
 */
export async function expectAccessible(page: Page, parts: readonly string[] = []): Promise<void> {
  if (isGate) return;
  await restOf(page);
  expect(await violationsOf(page, { include: parts.length > 0 ? [...parts] : ['html'] })).toEqual([]);
}

export type { BrowserContext, Page };
