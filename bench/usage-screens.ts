/**
 * How long the screens that tell of use take from their address until they can be used, in Chromium, signed in, with
 * what they are made of in its cache.
 */
import type { BrowserContext } from 'playwright';
import * as v from 'valibot';
import { CSRF_COOKIE, CSRF_HEADER, TOKEN_STORAGE_KEY, TokenPair } from '#contract/session.ts';
import { hashPassword } from '#server/identity/accounts/passwords.ts';
import { monthAfter, monthOf } from '#server/money/usage/months.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { TestUser } from '../test/server/harness.ts';
import { tabIsOpen, withConsole } from './browser.ts';
import { atMost, figure, quantile, type Row } from './row.ts';
import { scaled } from './settings.ts';
import { MONTHS, type Say } from './usage-fill.ts';

const BUDGET_S = 1;
const TRIES = scaled(5);
/** What this machine takes for the page itself. */
const PLAIN = 'members, without figures';
const PASSWORD = 'as long as it takes to read';
/** No screen is waited for longer. */
const PATIENCE_MS = 60_000;

/** Lets a user that was put straight in the database sign in. */
export async function givePassword(db: Db, { userId }: TestUser): Promise<void> {
  await db
    .updateTable('users')
    .set({ password_hash: await hashPassword(PASSWORD) })
    .where('id', '=', userId)
    .execute();
}

/**
 * A screen that does not come is not measured; the others are.
 * @param where the server's settings, and its data directory, which is gone afterwards
 */
export function openScreens(
  user: TestUser,
  where: { settings: Record<string, string>; directory: string },
  say: Say,
): Promise<Row[]> {
  return withConsole(
    async (open, url) => {
      const session = await signIn(url, user.email);
      const context = await open({
        storageState: {
          cookies: [],
          origins: [{ origin: url, localStorage: [{ name: TOKEN_STORAGE_KEY, value: JSON.stringify(session) }] }],
        },
      });
      const measure = async (name: string, path: string): Promise<number> => {
        const median = await medianOf(context, path).catch((error: unknown) => {
          say(`screen: ${name}: ${String(error)}`);
          return Number.NaN;
        });
        say(`screen: ${name}: ${median.toFixed(2)} s`);
        return median;
      };
      const plain = await measure(PLAIN, `/org/${user.organizationId}/members/`);
      const rows: Row[] = [figure(`screen: ${PLAIN}`, plain, 's')];
      for (const [name, path] of screensOf(user))
        rows.push(atMost(`screen: ${name}`, await measure(name, path), 's', BUDGET_S));
      return rows;
    },
    where.settings,
    where.directory,
  );
}

function screensOf({ organizationId, projectId }: TestUser): [string, string][] {
  const day = (moment: Date): string => moment.toISOString().slice(0, 10);
  const now = new Date();
  const last = monthAfter(monthOf(now), -1);
  const month = `start_date=${day(last)}&end_date=${day(new Date(monthAfter(last).getTime() - 1))}`;
  const year = `start_date=${day(monthAfter(monthOf(now), 1 - MONTHS))}&end_date=${day(now)}`;
  const organization = `/org/${organizationId}`;
  const project = `${organization}/projects/${projectId}`;
  return [
    ['dashboard', `${organization}/`],
    ['project', `${project}/`],
    ['usage cost, year by day', `${project}/usage/cost/?${year}&period=daily`],
    ['usage activity, month by hour', `${project}/usage/activity/?${month}&period=hourly`],
    ['billing overview', `${organization}/billing/overview/`],
    ['billing reports, year by day', `${organization}/billing/reports/?${year}&period=daily`],
    ['billing reports, month by hour', `${organization}/billing/reports/?${month}&period=hourly`],
    ['cost table, year', `${organization}/billing/costs/?${year}`],
    ['metrics, month by hour', `${project}/metrics/?${month}&period=hourly`],
    ['metrics, year by day', `${project}/metrics/?${year}&period=daily`],
    ['logs', `${project}/api/logs/`],
    ['logs, failures', `${project}/api/logs/?status=failed`],
  ];
}

declare global {
  interface Window {
    /** Milliseconds from the navigation until the screen could be used. */
    settledAt?: number;
  }
}

/** Nothing waits any more, and there is a row of a table, a list, or a section with its heading. */
const isUsable = (): boolean =>
  document.querySelector('main h1') !== null &&
  document.querySelector('main :is(table tbody tr, ul li, dl dd, section h2)') !== null &&
  document.querySelector('main :is(.chakra-skeleton, [aria-busy="true"], [role="status"][aria-label^="Loading"])') ===
    null;

/** Seconds. @throws what the browser tells where a screen does not come */
async function medianOf(context: BrowserContext, path: string): Promise<number> {
  const times: number[] = [];
  // The first time fills the browser's cache.
  for (let n = 0; n <= TRIES; n += 1) times.push(await openOne(context, path));
  return quantile(times.slice(1), 0.5) / 1000;
}

async function openOne(context: BrowserContext, path: string): Promise<number> {
  const page = await context.newPage();
  await page.addInitScript(`{
    const isUsable = ${isUsable.toString()};
    const watch = new MutationObserver(() => {
      // What is drawn by a frame can be used once it is seen.
      if (isUsable()) requestAnimationFrame(() => { if (isUsable()) window.settledAt ??= performance.now(); });
    });
    watch.observe(document, { childList: true, subtree: true, attributes: true });
  }`);
  try {
    await tabIsOpen(page);
    await page.goto(path, { waitUntil: 'commit', timeout: PATIENCE_MS });
    const settled = await page.waitForFunction(() => window.settledAt, undefined, { timeout: PATIENCE_MS });
    return Number(await settled.jsonValue());
  } finally {
    await page.close();
  }
}

/** Past the form. */
async function signIn(url: string, email: string): Promise<TokenPair> {
  const csrf = 'x'.repeat(43);
  const answer = await fetch(`${url}/api/v2/token/`, {
    method: 'POST',
    headers: { cookie: `${CSRF_COOKIE}=${csrf}`, [CSRF_HEADER]: csrf },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  return v.parse(TokenPair, await answer.json());
}
