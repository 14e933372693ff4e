import { expect, expectAccessible, type Page, pressEscape, settled, signIn, test } from './fixtures.ts';

// With everything that moves, as most people see it.
test.use({ contextOptions: { reducedMotion: 'no-preference' } });

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Create project' });
const question = (page: Page, name: string) => page.getByRole('alertdialog', { name });
const DISCARD = 'Discard what you typed?';

async function open(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Create project' }).click();
  await expect(dialog(page)).toBeVisible();
  await settled(page);
}

test('ORG-02: every way out closes an untouched dialog at once, and asks about typed input; the form fades out with it', async ({
  page,
}) => {
  await page.addInitScript(() => {
    const seen: number[] = [];
    Object.assign(window, { fieldsOnTheWayOut: seen });
    new MutationObserver(() => {
      for (const dialog of document.querySelectorAll('[role=dialog][data-state=closed]')) {
        if (dialog.querySelector('h2')?.textContent === 'Create project')
          seen.push(dialog.querySelectorAll('input').length);
      }
    }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-state'] });
  });
  await signIn(page);
  const ways: [string, () => Promise<void>][] = [
    ['Esc', () => pressEscape(page)],
    ['backdrop', () => page.mouse.click(5, 400)],
    ['cross', () => dialog(page).getByRole('button', { name: 'Close' }).click()],
    ['Cancel', () => dialog(page).getByRole('button', { name: 'Cancel' }).click()],
  ];
  for (const [way, leave] of ways) {
    await test.step(way, async () => {
      await open(page);
      await leave();
      await expect(dialog(page)).toHaveCount(0);
      await open(page);
      await dialog(page).getByLabel('Name').fill('Half a name');
      await leave();
      await expect(question(page, DISCARD)).toBeVisible();
      if (way === 'Esc') {
        await expectAccessible(page);
        await question(page, DISCARD).getByRole('button', { name: 'Keep editing' }).click();
        await expect(question(page, DISCARD)).toBeHidden();
        await expect(dialog(page).getByLabel('Name')).toHaveValue('Half a name');
        await leave();
        await expect(question(page, DISCARD).getByRole('button', { name: 'Keep editing' })).toBeFocused();
        // Esc in the question means no, and leaves the form beneath it alone.
        await pressEscape(page);
        await expect(question(page, DISCARD)).toBeHidden();
        await expect(dialog(page).getByLabel('Name')).toHaveValue('Half a name');
        await leave();
      }
      await question(page, DISCARD).getByRole('button', { name: 'Discard' }).click();
      await expect(dialog(page)).toBeHidden();
      await expect(question(page, DISCARD)).toBeHidden();
    });
  }
  await open(page);
  await expect(dialog(page).getByLabel('Name')).toHaveValue('');
  const seen = await page.evaluate(() => (window as unknown as { fieldsOnTheWayOut: number[] }).fieldsOnTheWayOut);
  expect(seen.length).toBeGreaterThan(0);
  expect(seen).not.toContain(0);
});
