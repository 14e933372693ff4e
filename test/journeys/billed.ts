/** Journeys on a server with an organization that has a past. */
import { createWorld, type World } from '../gallery/world.ts';
import { launchBilled, type Billed } from './billed-place.ts';
import { test as base, type Page } from './fixtures.ts';

export { PROJECTS, type Billed } from './billed-place.ts';
export { failOnce, fitsIn } from './failures.ts';

export const test = base.extend<object, { billed: Billed; world: World }>({
  billed: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads a fixture's dependencies from this pattern
    async ({}, use) => {
      const billed = await launchBilled();
      await use(billed);
      await billed.server.dispose();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  server: [async ({ billed }, use) => use(billed.server), { scope: 'worker' }],
  /** Everybody that the screens are shown to. */
  world: [async ({ billed }, use) => use(await createWorld(billed)), { scope: 'worker' }],
});

export const billingOf = ({ orgUuid }: Billed): string => `/org/${orgUuid}/billing/`;
export const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
