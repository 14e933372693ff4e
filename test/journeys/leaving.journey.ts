import { enter, expect, expectAccessible, type Page, pressEscape, test } from './fixtures.ts';
import { createProject } from './people.ts';

const SOCKET = /\/transcribe-websocket/;
const question = (page: Page) => page.getByRole('alertdialog');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** Also where a dialog lies over it: nothing but the address counts here. */
const press = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element: HTMLElement) => element.click());

/** Two projects of the demo account; their paths without what comes after. */
async function projects(page: Page, url: string): Promise<{ first: string; second: string }> {
  const owner = await enter(page);
  const first = owner.playground?.replace(/playground\/.*$/, '') ?? '';
  const [, , orgUuid = ''] = first.split('/');
  const second = await createProject(url, owner, orgUuid, `Other ${Date.now()}`);
  return { first, second: `/org/${orgUuid}/projects/${second}/` };
}

type Way = { name: string; go: () => Promise<void>; arrives: RegExp };

/** A link, Back, another project. */
function ways(page: Page, second: string): Way[] {
  return [
    { name: 'a link', go: () => press(page, 'a:text-is("Audit log")'), arrives: /\/audit\/$/ },
    { name: 'Back', go: () => page.evaluate(() => history.back()), arrives: /\/members\/$/ },
    {
      name: 'another project',
      go: async () => {
        await press(page, 'button[aria-label^="Projects: "]');
        await press(page, `a[data-option][href*="${second}"]`);
      },
      arrives: new RegExp(second),
    },
  ];
}

/** Comes to a screen by links, so that Back leads within the console. */
async function come(page: Page, path: string, link: string): Promise<void> {
  await page.goto(path);
  await press(page, 'a:text-is("Members")');
  await expect(page).toHaveURL(/\/members\/$/);
  await press(page, `a[href^="${path}${link}"]`);
  await expect(page).toHaveURL(new RegExp(path + link));
}

test('CON-01: a form of a page with unsaved text is not left unasked @gate', async ({ page, server }) => {
  const field = page.getByRole('main').getByLabel('Name');
  const lives = () => expect(field).toHaveValue('Half a name');
  const { first, second } = await projects(page, server.url);
  for (const { name, go, arrives } of ways(page, second)) {
    await test.step(name, async () => {
      await come(page, first, 'settings/');
      await field.fill('Half a name');
      const url = page.url();
      await go();
      await expect(question(page)).toContainText('Leave this page?');
      await expect(question(page)).toContainText('What you typed is not saved.');
      await expect(question(page).getByRole('button', { name: 'Stay' })).toBeFocused();
      if (name === 'a link') await expectAccessible(page);
      await question(page).getByRole('button', { name: 'Stay' }).click();
      await expect(question(page)).toBeHidden();
      await expect(page).toHaveURL(url);
      await lives();
      await go();
      if (name === 'a link') {
        // Esc means no.
        await expect(question(page).getByRole('button', { name: 'Stay' })).toBeFocused();
        await pressEscape(page);
        await expect(question(page)).toBeHidden();
        await expect(page).toHaveURL(url);
        await lives();
        await go();
      }
      await question(page).getByRole('button', { name: 'Leave' }).click();
      await expect(page).toHaveURL(arrives);
      await expect(question(page)).toBeHidden();
    });
  }
});

test.describe('with a microphone', () => {
  test.use({ permissions: ['microphone'] });

  /** A service that says one word at once, and never ends. */
  async function speak(page: Page): Promise<void> {
    await page.routeWebSocket(SOCKET, (socket) => {
      socket.onMessage(() => undefined);
      socket.send(
        JSON.stringify({ tokens: [{ text: 'Heard.', start_ms: 0, end_ms: 500, confidence: 0.9, is_final: true }] }),
      );
    });
  }
  const transcript = (page: Page) => page.getByRole('region', { name: 'Live transcript' });
  const run = async (page: Page) => {
    await button(page, 'Run').click();
    await expect(transcript(page)).toContainText('Heard.');
  };

  test('CON-01: the other tab of the playground, by its tab and by the palette, is not shown unasked while a live session runs', async ({
    page,
    server,
  }) => {
    await speak(page);
    const { first } = await projects(page, server.url);
    await page.goto(`${first}playground/speech-to-text/?mode=real-time`);
    await run(page);
    const ways = [
      () => page.getByRole('tab', { name: 'REST API' }).click(),
      async () => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox').fill('Show the REST API tab');
        await page.keyboard.press('Enter');
      },
    ];
    for (const go of ways) {
      await go();
      await expect(question(page)).toContainText('Leave the WebSocket API tab?');
      await expect(question(page)).toContainText('The live session ends. Its text stays in the playground.');
      await question(page).getByRole('button', { name: 'Stay' }).click();
      await expect(page).toHaveURL(/mode=real-time/);
      await expect(button(page, 'Stop')).toBeVisible();
    }
    await ways[0]?.();
    await question(page).getByRole('button', { name: 'Leave' }).click();
    await expect(page).toHaveURL(/mode=async/);
    await expect(question(page)).toBeHidden();
  });

  test('CON-02: the last live transcript and its settings are there again after another screen, and go with the project', async ({
    page,
    server,
  }) => {
    await speak(page);
    const { first, second } = await projects(page, server.url);
    await come(page, first, 'playground/speech-to-text/');
    await page.getByLabel('Context').fill('{"text":"a talk"}');
    await run(page);
    await press(page, 'a:text-is("Audit log")');
    await expect(question(page)).toContainText('Its text stays in the playground.');
    await question(page).getByRole('button', { name: 'Leave' }).click();
    await expect(page).toHaveURL(/\/audit\/$/);
    await expect(page.getByRole('heading', { level: 1, name: 'Audit log' })).toBeVisible();
    await page.goBack();
    await expect(transcript(page)).toContainText('Heard.');
    await expect(page.getByLabel('Context')).toHaveValue('{"text":"a talk"}');
    await expect(page.getByRole('status').filter({ hasText: 'Stopped' })).toBeVisible();
    // CON-12: what is heard next does not run on.
    await button(page, 'Run').click();
    await expect(transcript(page).locator('[data-details]:not([data-pending])')).toHaveText(['Heard.', 'Heard.']);
    await button(page, 'Stop').click();
    await button(page, 'Cancel').click();
    // Nothing runs: nothing is asked.
    await press(page, 'button[aria-label^="Projects: "]');
    await press(page, `a[data-option][href*="${second}"]`);
    await expect(page).toHaveURL(new RegExp(second));
    await expect(page.getByRole('region', { name: 'WebSocket API' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('region', { name: 'WebSocket API' })).toBeVisible();
  });
});
