import { expect, expectAccessible, signIn, test, type Page, pressEscape } from './fixtures.ts';
import { openTab } from './playground.ts';

const field = (page: Page) => page.getByRole('combobox', { name: 'Search screens and commands' });
const rows = (page: Page) => page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
const active = (page: Page) => page.getByRole('option', { selected: true });
const heading = (page: Page) => page.getByRole('heading', { level: 1 });

/** Opens the palette by its keys and types into it. */
async function ask(page: Page, query: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type(query);
}

test('the palette and the sheet of shortcuts are worked by keyboard alone, and give the focus back', async ({
  page,
}) => {
  await signIn(page);
  const docs = page.getByRole('link', { name: 'Docs' });
  await docs.focus();
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
  await expect(active(page)).toHaveText(/^Go to Project home/);
  await page.keyboard.press('ArrowUp');
  await expect(active(page)).toHaveText('Show the keyboard shortcuts');
  await expect(active(page)).toBeInViewport();
  await expect(field(page)).toHaveAttribute('aria-activedescendant', (await active(page).getAttribute('id')) ?? 'none');
  await pressEscape(page);
  await expect(field(page)).toBeHidden();
  await expect(docs).toBeFocused();

  await ask(page, 'dark');
  await expect(rows(page)).toHaveText(['Use the dark theme']);
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveClass(/dark/);
  await expect(field(page)).toBeHidden();
  await expect(docs).toBeFocused();
  await page.getByRole('button', { name: 'Search screens and commands' }).click();
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('nothing of that name');
  await expect(page.getByText('No results for “')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeHidden();

  await ask(page, 'go to memb');
  await expect(rows(page)).toHaveText([/^Go to Members/]);
  await page.keyboard.press('Enter');
  await expect(heading(page)).toHaveText('Members');
  await expect(heading(page)).toBeFocused();
  // From any screen, and on its own.
  for (const place of ['members', 'keys']) {
    await expect(page).toHaveURL(new RegExp(`${place}/$`));
    await ask(page, 'create api');
    await expect(rows(page)).toHaveText([/^Create API key/]);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('dialog', { name: 'Create API key' }).getByLabel('Name')).toBeFocused();
    await pressEscape(page);
    await expect(page.getByRole('dialog', { name: 'Create API key' })).toBeHidden();
    await expect(heading(page)).toHaveText('API keys');
  }

  // Where somebody types, keys are letters.
  await ask(page, 'create proj');
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog', { name: 'Create project' });
  await expect(form.getByLabel('Name')).toBeFocused();
  await page.keyboard.type('Why?');
  await page.keyboard.press('Control+k');
  await expect(form.getByLabel('Name')).toHaveValue('Why?');
  await expect(field(page)).toBeHidden();
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeHidden();
  await form.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(heading(page)).toHaveText('Why?');
  await ask(page, 'switch first');
  await page.keyboard.press('Enter');
  await expect(heading(page)).toHaveText('First project');

  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(sheet.getByRole('region', { name: 'Everywhere' }).getByRole('listitem')).toHaveText([
    /Search screens and commands.*K/,
    /Show the keyboard shortcuts.*\?/,
  ]);
  await expect(sheet.getByText('Play or pause')).toBeVisible();
  await pressEscape(page);
  await expect(sheet).toBeHidden();
  await ask(page, 'shortcuts');
  await page.keyboard.press('Enter');
  await expect(sheet).toBeVisible();
  await pressEscape(page);
  await expect(sheet).toBeHidden();
  await expect(heading(page)).toBeFocused();
  await ask(page, 'sign out');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/signin\//);
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeHidden();
});

test('CON-01: the palette asks before it signs out where something typed is not saved', async ({ page }) => {
  await signIn(page, { path: '/user/' });
  const name = page.getByRole('main').getByLabel('Your name');
  await name.fill('Somebody else');
  // Where somebody types, keys are letters.
  await page.getByRole('button', { name: 'Search screens and commands' }).click();
  await field(page).fill('sign out');
  await expect(rows(page)).toHaveText(['Sign out']);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alertdialog', { name: 'Sign out now?' })).toBeVisible();
  await pressEscape(page);
  await expect(name).toHaveValue('Somebody else');
});

test.describe('with a microphone', () => {
  test.use({ permissions: ['microphone'] });

  test('the palette offers what the charts accept at the moment: a live session is run, finalized, stopped and reset from it', async ({
    page,
  }) => {
    await openTab(page, 'real-time');
    const offered = async (name: string) => {
      await page.keyboard.press('Control+k');
      await expect(field(page)).toBeFocused();
      const labels = (await rows(page).allTextContents())
        .filter((text) => text.endsWith('Live transcription'))
        .map((text) => text.replace('Live transcription', ''));
      await page.keyboard.type(`${name} live`);
      await page.keyboard.press('Enter');
      await expect(field(page)).toBeHidden();
      return labels;
    };
    await heading(page).focus();
    expect(await offered('run')).toEqual(['Run']);
    await expect(page.getByText('Running', { exact: true })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Finalize' })).toBeEnabled({ timeout: 90_000 });
    expect(await offered('finalize')).toEqual(['Stop', 'Finalize']);
    // Not again before it is done.
    await expect(page.getByRole('button', { name: 'Finalize' })).toBeEnabled({ timeout: 90_000 });
    expect(await offered('stop')).toEqual(['Stop', 'Finalize']);
    await expect(page.getByText('Stopped', { exact: true })).toBeVisible({ timeout: 90_000 });
    expect(await offered('reset')).toEqual(['Run', 'Reset']);
    await expect(page.getByRole('button', { name: 'Reset' })).toBeDisabled();
  });
});
