/** Bytes of JavaScript that a page fetches until it rests: what arrives in a fresh browser, gzipped file by file. */
import { gzipSync } from 'node:zlib';
import type { BrowserContext } from 'playwright';
import { openPlayground, withConsole } from './browser.ts';
import { type Row, atMost, figure } from './row.ts';

/** The agreed weight of the sign-in page; kB are 1000 bytes. */
const SIGN_IN_BUDGET_KB = 166;

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
      await page.goto('/signin/', { waitUntil: 'networkidle' });
    });
    const playground = await kilobytesFor(open, async (context) => {
      const page = await context.newPage();
      await openPlayground(page, 'async');
      await page.waitForLoadState('networkidle');
    });
    return [
      atMost('JavaScript of /signin (gzip)', signIn, 'kB', SIGN_IN_BUDGET_KB),
      figure('JavaScript up to the playground (gzip)', playground, 'kB'),
    ];
  });
}
