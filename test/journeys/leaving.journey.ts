import { enter, expect, expectAccessible, type Page, pressEscape, signIn, test } from './fixtures.ts';
import { clip } from './playground.ts';
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

type Stake = { link: string; begin: () => Promise<void>; lives: () => Promise<void>; loss: RegExp };

/** By all ways, or the first so many. */
async function leave(
  page: Page,
  { url }: { url: string },
  { link, begin, lives, loss }: Stake,
  count?: number,
): Promise<void> {
  const { first, second } = await projects(page, url);
  for (const { name, go, arrives } of ways(page, second).slice(0, count)) {
    await test.step(name, async () => {
      await come(page, first, link);
      await begin();
      const url = page.url();
      await go();
      await expect(question(page)).toContainText('Leave this page?');
      await expect(question(page)).toContainText(loss);
      await expect(question(page).getByRole('button', { name: 'Stay' })).toBeFocused();
      if (name === 'a link' && count === undefined) await expectAccessible(page);
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
}

test('CON-01: a form of a page with unsaved text is not left unasked @gate', async ({ page, server }) => {
  const name = page.getByRole('main').getByLabel('Name');
  await leave(page, server, {
    link: 'settings/',
    begin: async () => {
      await name.fill('Half a name');
    },
    lives: () => expect(name).toHaveValue('Half a name'),
    loss: /What you typed is not saved\./,
  });
});

test('CON-01: an upload is not left unasked', async ({ page, server }) => {
  await page.route('**/v1/files', (route) =>
    route.request().method() === 'POST' ? new Promise(() => undefined) : route.fallback(),
  );
  const uploading = page.getByRole('dialog', { name: 'Uploading file' });
  await leave(
    page,
    server,
    {
      link: 'playground/speech-to-text/',
      begin: async () => {
        await page.getByRole('tab', { name: 'REST API' }).click();
        await expect(page).toHaveURL(/mode=async/);
        await page.getByLabel('Choose file').setInputFiles(clip('short.wav'));
        await expect(uploading).toBeVisible();
      },
      lives: () => expect(uploading).toBeVisible(),
      loss: /The upload stops, and the file is not saved\./,
    },
    1,
  );
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

  test('CON-01: a live session is not left unasked', async ({ page, server }) => {
    await speak(page);
    await leave(
      page,
      server,
      {
        link: 'playground/speech-to-text/',
        begin: () => run(page),
        lives: () => expect(button(page, 'Stop')).toBeVisible(),
        loss: /The live session ends\./,
      },
      1,
    );
  });

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

test('CON-01: the palette and signing out ask too', async ({ page }) => {
  await signIn(page, { path: '/user/' });
  const field = page.getByRole('main').getByLabel('Your name');
  await field.fill('Somebody else');
  const command = async (words: string) => {
    // Shortcuts leave who types alone.
    await page.getByRole('button', { name: 'Search screens and commands' }).click();
    await page.getByRole('combobox').fill(words);
    await page.keyboard.press('Enter');
  };
  await command('Go to Members');
  await expect(question(page)).toContainText('What you typed is not saved.');
  await pressEscape(page);
  await expect(page).toHaveURL(/\/user\//);
  await command('Sign out');
  await expect(question(page)).toContainText('Sign out now?');
  await pressEscape(page);
  await expect(field).toHaveValue('Somebody else');
  await command('Sign out');
  await question(page).getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/signin\//);
});
