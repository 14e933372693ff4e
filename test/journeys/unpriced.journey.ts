import { enter, expect, expectAccessible, testWith } from './fixtures.ts';
import { createPlace, transcribeTwice } from './metered.ts';

const test = testWith({ SPEECH_PRICES: 'none' });

test('UXP-32: without prices every screen that would tell a cost says the same', async ({ page, server }) => {
  const said = page.getByText('No prices are configured');
  const account = await enter(page);
  const { projectUuid, home, organization } = await createPlace(server.url, account, { credit: false });
  await transcribeTwice(page, account, projectUuid);
  await page.goto(organization);
  // The figure of the month, and the project's card.
  await expect(said).toHaveCount(2);
  await page.getByRole('button', { name: 'Cost', exact: true }).click();
  await expect(said).toHaveCount(3);
  await expectAccessible(page);
  for (const path of [`${home}usage/cost/`, `${organization}billing/overview/`]) {
    await page.goto(path);
    await expect(said).toBeVisible();
    await expect(page.getByText(/\$\d/)).toHaveCount(0);
  }
});
