/** An organization with a past: what its projects used and what was paid, over two months. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Route } from '@playwright/test';
import * as v from 'valibot';
import { OrganizationCreated, ProjectCreated } from '#contract/organizations.ts';
import { signInByApi } from './account.ts';
import { DEMO_EMAIL, test as base, type Page } from './fixtures.ts';
import { call } from './people.ts';
import { ConsoleServer, copyTemplate } from './server.ts';

/** The last of them is deleted. */
export const PROJECTS = ['Call notes', 'Meetings', 'Old tests'] as const;

export type Billed = { server: ConsoleServer; orgUuid: string; projects: readonly string[] };

/** A server with it; dispose of it when done. */
async function launchBilled(settings: Record<string, string> = {}): Promise<Billed> {
  const directory = copyTemplate();
  const server = await ConsoleServer.launch({ directory, settings });
  const owner = await signInByApi(server.url);
  const made = await call(server.url, owner, 'POST', 'organizations/', { name: 'Billed', contact_email: DEMO_EMAIL });
  const { uuid: orgUuid } = v.parse(OrganizationCreated, await made.json()).organization;
  const projects: string[] = [];
  for (const name of PROJECTS) {
    const begun = await call(server.url, owner, 'POST', `organizations/${orgUuid}/projects/`, {
      name,
      description: '',
    });
    projects.push(v.parse(ProjectCreated, await begun.json()).project.uuid);
  }
  await server.stop();
  const script = fileURLToPath(new URL('write-billed.ts', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, directory, orgUuid, ...projects], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  await server.start();
  await call(server.url, await signInByApi(server.url), 'DELETE', `projects/${projects.at(-1)}/`);
  return { server, orgUuid, projects };
}

/** A journey on a server with it. */
export const test = base.extend<object, { billed: Billed }>({
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
});

export const billingOf = ({ orgUuid }: Billed): string => `/org/${orgUuid}/billing/`;
export const status = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text });
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const fitsIn = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);

const refuse = (route: Route) =>
  route.fulfill({
    status: 500,
    json: {
      status_code: 500,
      error_type: 'internal_error',
      message: 'The disk is full.',
      validation_errors: [],
      request_id: 'r-1',
    },
  });

/** Has a call fail the next time it is made. */
export const failOnce = (page: Page, pattern: string) => page.route(pattern, refuse, { times: 1 });

/** Has a call fail until what this returns is called, however often it is made. */
export async function failUntil(page: Page, pattern: string): Promise<() => Promise<void>> {
  await page.route(pattern, refuse);
  return () => page.unroute(pattern, refuse);
}
