/**
 * How long a page takes from its address to its use: the playground warm and cold, sign-in cold; on this machine as it is,
 * and with a quarter of its speed on a slow mobile network. Medians, with the slowest run beside them.
 */
import type { BrowserContext, Page } from 'playwright';
import * as v from 'valibot';
import { Memberships } from '#contract/organizations.ts';
import { CSRF_COOKIE, CSRF_HEADER, TOKEN_STORAGE_KEY, TokenPair } from '#contract/session.ts';
import { DEMO_EMAIL, DEMO_PASSWORD } from '../test/journeys/server.ts';
import { type OpenBrowser, tabIsOpen, withConsole } from './browser.ts';
import { type Row, atMost, figure, quantile } from './row.ts';
import { scaled } from './settings.ts';

/** Of each kind of start. */
const RUNS = scaled(5);
const SLOW = { cpu: 4, latencyMs: 150, bytesPerSecond: 1_600_000 / 8 };
/** No start is waited for longer. */
const PATIENCE_MS = 60_000;

type Started = { ms: number; requests: number };
/** A page to start: its address, and what is there once it can be used. */
type Start = { path: string; isUsable: () => boolean };

declare global {
  interface Window {
    /** Milliseconds from the navigation until the page could be used. */
    usableAt?: number;
  }
}

const playgroundStart = (path: string): Start => ({
  path,
  isUsable: () => {
    const lists = [...document.querySelectorAll('[data-rows]')];
    return lists.length > 0 && lists.every((list) => list.getAttribute('aria-busy') === 'false');
  },
});

const signInStart: Start = {
  path: '/signin/',
  isUsable: () => document.querySelector('input[type="email"]:enabled, input[name="email"]:enabled') !== null,
};

/** One start in a tab of its own. The requests counted are those that left until the page could be used. */
async function start(context: BrowserContext, { path, isUsable }: Start, slow: boolean): Promise<Started> {
  const page = await context.newPage();
  if (slow) await slowDown(page);
  await page.addInitScript(`{
    const isUsable = ${isUsable.toString()};
    const watch = new MutationObserver(() => {
      if (!isUsable()) return;
      watch.disconnect();
      window.usableAt = performance.now();
    });
    watch.observe(document, { childList: true, subtree: true, attributes: true });
  }`);
  let requests = 0;
  page.on('request', () => {
    requests += 1;
  });
  await tabIsOpen(page);
  await page.goto(path, { waitUntil: 'commit', timeout: PATIENCE_MS });
  const usableAt = await page.waitForFunction(() => window.usableAt, undefined, { timeout: PATIENCE_MS });
  const started = { ms: Number(await usableAt.jsonValue()), requests };
  await page.close();
  return started;
}

async function slowDown(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  const { latencyMs, bytesPerSecond } = SLOW;
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW.cpu });
}

/** Signs in past the form. @returns the stored pair, and the address of the first project's playground */
async function signIn(url: string): Promise<{ pair: TokenPair; playground: string }> {
  const csrf = 'x'.repeat(43);
  const headers = { cookie: `${CSRF_COOKIE}=${csrf}`, [CSRF_HEADER]: csrf };
  const answer = await fetch(`${url}/api/v2/token/`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ email: DEMO_EMAIL, password: DEMO_PASSWORD }),
  });
  const pair = v.parse(TokenPair, await answer.json());
  const told = await fetch(`${url}/api/v2/user/organizations/`, {
    headers: { authorization: `Bearer ${pair.access}` },
  });
  const [first] = v.parse(Memberships, await told.json()).organizations;
  const [project] = first?.projects ?? [];
  if (!first || !project) throw new Error('The demo account has no project.');
  return {
    pair,
    playground: `/org/${first.organization.uuid}/projects/${project.uuid}/playground/speech-to-text/?mode=async`,
  };
}

export type Starts = { warm: Started[]; cold: Started[]; signIn: Started[] };

/** One start of each kind, in browsers that have nothing stored but the session; the warm one after a start of its own. */
export async function startEach(open: OpenBrowser, url: string, slow: boolean, into: Starts): Promise<void> {
  const { pair, playground } = await signIn(url);
  const session = {
    storageState: {
      cookies: [],
      origins: [{ origin: url, localStorage: [{ name: TOKEN_STORAGE_KEY, value: JSON.stringify(pair) }] }],
    },
  };
  const known = await open(session);
  into.cold.push(await start(known, playgroundStart(playground), slow));
  if (slow) await start(known, playgroundStart(playground), false);
  into.warm.push(await start(known, playgroundStart(playground), slow));
  await known.close();
  const stranger = await open();
  into.signIn.push(await start(stranger, signInStart, slow));
  await stranger.close();
}

const seconds = (starts: readonly Started[], share: number) =>
  quantile(
    starts.map(({ ms }) => ms / 1000),
    share,
  );

function rowsOf(name: string, starts: readonly Started[], budget?: number): Row[] {
  const median = seconds(starts, 0.5);
  return [
    budget === undefined
      ? figure(`${name}, median of ${starts.length}`, median, 's')
      : atMost(`${name}, median of ${starts.length}`, median, 's', budget),
    figure(`${name}, slowest`, seconds(starts, 1), 's'),
  ];
}

export function run(): Promise<Row[]> {
  return withConsole(async (open, url) => {
    const fast: Starts = { warm: [], cold: [], signIn: [] };
    const slow: Starts = { warm: [], cold: [], signIn: [] };
    for (let round = 0; round < RUNS; round += 1) {
      await startEach(open, url, false, fast);
      await startEach(open, url, true, slow);
    }
    const requests = [...fast.cold, ...fast.warm, ...slow.cold, ...slow.warm].map((started) => started.requests);
    return [
      ...rowsOf('playground warm', fast.warm, 0.75),
      ...rowsOf('playground cold', fast.cold),
      ...rowsOf('sign-in cold', fast.signIn),
      ...rowsOf('playground warm, slow device and network', slow.warm, 2.6),
      ...rowsOf('playground cold, slow device and network', slow.cold, 4.6),
      ...rowsOf('sign-in cold, slow device and network', slow.signIn, 2),
      atMost('requests until the playground is usable, most', Math.max(...requests), '', 25),
    ];
  });
}
