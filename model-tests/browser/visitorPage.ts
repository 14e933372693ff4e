/** Where paths of public screens are walked: a page of a visitor, whose calls to the main API wait for the path, and another tab. */
import type { Page, Request } from '@playwright/test';
import { TOKEN_STORAGE_KEY } from '#contract/session.ts';
import { watch } from '#test/journeys/fixtures.ts';
import { PausedCalls } from './pausedCalls.ts';
import { expect, test } from './consolePage.ts';

export type VisitorPage = {
  page: Page;
  held: PausedCalls;
  /** Opens a screen as somebody signed in or signed out, with no call of before. */
  open: (path: string, isSignedIn: boolean) => Promise<void>;
  /** What another tab does. */
  elsewhere: { signIn: () => Promise<void>; signOut: () => Promise<void> };
};

const EXPECTED_COMPLAINT = /^Failed to load resource: /;
/** Made up: the calls that it is for are held. */
export const pair = () => ({
  access: 'access-of-the-path',
  refresh: 'refresh-of-the-path',
  access_expires_at: Math.floor(Date.now() / 1000) + 3600,
});

/** A fixture for a file of tests. `nameOf` tells which calls are held; a stored session is good, and the console is never fetched. */
export function useVisitorPage(nameOf: (path: string, method: string) => string | null): () => VisitorPage {
  let fixture: VisitorPage | undefined;
  let complaints: string[] = [];

  test.beforeAll(async ({ browser, server }) => {
    const context = await browser.newContext({ baseURL: server.url, viewport: { width: 1280, height: 900 } });
    const [page, other] = [await context.newPage(), await context.newPage()];
    complaints = watch(page);
    // `?inspect` shows the root actor; nobody looks at the inspector's own window here.
    await page.addInitScript(() => {
      window.open = () => null;
    });
    await other.goto('/icon.svg');
    const held = new PausedCalls((request: Request) =>
      nameOf(new URL(request.url()).pathname.replace('/api/v2/', ''), request.method()),
    );
    await page.route('**/assets/console-*.js', () => undefined);
    await page.route('**/api/v2/token/verify/', (route) => route.fulfill({ json: {} }));
    await held.stand(page, '**/api/v2/**');
    const signIn = () =>
      other.evaluate(([key, value]) => localStorage.setItem(key, value), [
        TOKEN_STORAGE_KEY,
        JSON.stringify(pair()),
      ] as const);
    const signOut = () => other.evaluate((key) => localStorage.removeItem(key), TOKEN_STORAGE_KEY);
    const open = async (path: string, isSignedIn: boolean) => {
      await page.goto('about:blank');
      await (isSignedIn ? signIn() : signOut());
      held.forget();
      await page.goto(path);
    };
    fixture = { page, held, open, elsewhere: { signIn, signOut } };
  });

  test.afterAll(async () => {
    await fixture?.page.context().close();
    expect(complaints.filter((text) => !EXPECTED_COMPLAINT.test(text))).toEqual([]);
  });

  return () => {
    if (!fixture) throw new Error('The fixture is not open yet.');
    return fixture;
  };
}
