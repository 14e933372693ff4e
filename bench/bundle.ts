/** Bytes of JavaScript that a page fetches until it rests: what arrives in a fresh browser, gzipped file by file. */
import { gzipSync } from 'node:zlib';
import type { BrowserContext, Page, Request } from 'playwright';
import { openPlayground, withConsole } from './browser.ts';
import { type Row, atMost, figure } from './row.ts';

/** The agreed weight of the sign-in page; kB are 1000 bytes. */
const SIGN_IN_BUDGET_KB = 180;

/** A page that asked for nothing for so long rests. */
const QUIET_MS = 500;

/**
 * Visits a page until it has asked for nothing for a while. The stream of events stays open for as long as the page shows,
 * so that the browser's own `networkidle` never comes.
 */
async function untilRest(page: Page, visit: () => Promise<unknown>): Promise<void> {
  const underWay = new Set<Request>();
  let lastAt = performance.now();
  const note = (change: (request: Request) => unknown) => (request: Request) => {
    if (new URL(request.url()).pathname === '/api/v2/events/') return;
    change(request);
    lastAt = performance.now();
  };
  page.on(
    'request',
    note((request) => underWay.add(request)),
  );
  page.on(
    'requestfinished',
    note((request) => underWay.delete(request)),
  );
  page.on(
    'requestfailed',
    note((request) => underWay.delete(request)),
  );
  await visit();
  while (underWay.size > 0 || performance.now() - lastAt < QUIET_MS) await page.waitForTimeout(QUIET_MS / 5);
}

async function kilobytesFor(
  open: () => Promise<BrowserContext>,
  visit: (context: BrowserContext) => Promise<void>,
): Promise<number> {
  const context = await open();
  const sizes: Promise<number>[] = [];
  context.on('response', (response) => {
    if (!response.url().split('?')[0]?.endsWith('.js')) return;
    sizes.push(response.body().then((body) => gzipSync(body, { level: 9 }).length));
  });
  await visit(context);
  const bytes = await Promise.all(sizes);
  await context.close();
  return bytes.reduce((sum, size) => sum + size, 0) / 1000;
}

export function run(): Promise<Row[]> {
  return withConsole(async (open) => {
    const signIn = await kilobytesFor(open, async (context) => {
      const page = await context.newPage();
      await untilRest(page, () => page.goto('/signin/'));
    });
    const playground = await kilobytesFor(open, async (context) => {
      const page = await context.newPage();
      await untilRest(page, async () => openPlayground(page, 'async'));
    });
    return [
      atMost('JavaScript of /signin (gzip)', signIn, 'kB', SIGN_IN_BUDGET_KB),
      figure('JavaScript up to the playground (gzip)', playground, 'kB'),
    ];
  });
}
