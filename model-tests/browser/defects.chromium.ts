/** A defect in any chart that lives on a screen shows the error screen, whatever is around it. */
import type { Page } from '@playwright/test';
import { enter } from '#test/journeys/fixtures.ts';
import { actorOf, expect, test } from './consolePage.ts';

const DEFECT = 'A defect made by a test.';

test.use({ allowed: [/A defect made by a test/] });

test.beforeEach(async ({ page }) => {
  // `?inspect` shows the root actor; nobody looks at the inspector's own window here.
  await page.addInitScript(() => {
    window.open = () => null;
  });
});

/** The charts of the page: for each what leads to it, from the root. */
async function chartsOn(page: Page): Promise<string[][]> {
  const root = await actorOf(page, []);
  return root.evaluate((top) => {
    const beneath = (actor: typeof top, path: string[]): string[][] =>
      Object.entries<typeof top | undefined>(actor.getSnapshot().children ?? {}).flatMap(([id, child]) => {
        const logic: unknown = child && Reflect.get(child, 'logic');
        if (
          child === undefined ||
          typeof logic !== 'object' ||
          logic === null ||
          Reflect.get(logic, 'root') === undefined
        )
          return [];
        return [[...path, id], ...beneath(child, [...path, id])];
      });
    return [['root'], ...beneath(top, ['root'])];
  });
}

/** Has the next event of an actor fail as a programming error in its chart would. */
async function breakChart(page: Page, [, ...children]: readonly string[]): Promise<void> {
  const actor = await actorOf(page, children);
  await actor.evaluate((broken, message) => {
    const transition = () => {
      throw new Error(message);
    };
    Reflect.set(broken, 'logic', Object.create(Reflect.get(broken, 'logic'), { transition: { value: transition } }));
    broken.send({ type: 'anything' });
  }, DEFECT);
}

/** One chart of each depth and kind; that all the others let a defect through as well, test/machines/defects.test.ts shows. */
async function expectErrorScreen(page: Page, address: string, name: string): Promise<void> {
  await page.goto(`${address}?inspect`);
  await page.waitForFunction(() => window.parlance !== undefined);
  await expect.poll(async () => (await chartsOn(page)).map((path) => path.at(-1)), address).toContain(name);
  await breakChart(page, (await chartsOn(page)).find((path) => path.at(-1) === name) ?? []);
  await expect(page.getByRole('heading', { name: 'Console error' }), name).toBeVisible();
  await expect(page.getByRole('link', { name: 'Home' })).toBeVisible();
  await expect(page.getByText(DEFECT)).toHaveCount(0);
}

test('SHL-11, CON-28: a defect in a chart of a public screen shows the error screen', async ({ page }) => {
  await expectErrorScreen(page, '/signin/', 'root');
  await expectErrorScreen(page, '/signin/', 'toasts');
  await expectErrorScreen(page, '/signin/', 'signIn');
  await expectErrorScreen(page, '/signup/', 'form');
});

test('SHL-11, CON-28: a defect in a chart of the console shows the error screen', async ({ page }) => {
  const { playground = '' } = await enter(page);
  const project = playground.replace(/\/playground\/.*/, '');
  const organization = project.replace(/\/projects\/.*/, '');
  for (const [address, name] of [
    [`${organization}/`, 'workspace'],
    [`${organization}/`, 'usage'],
    [`${organization}/members/`, 'members'],
    [`${project}/settings/`, 'detailsForm'],
    [`${project}/usage/activity/`, 'usageActivity'],
    ['/user/', 'profileForm'],
    [playground, 'playground'],
    [playground, 'transcript'],
  ] as const)
    await expectErrorScreen(page, address, name);
});
