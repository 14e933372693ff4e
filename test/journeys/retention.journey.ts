import { enter, expect, testWith } from './fixtures.ts';
import { createPlace } from './metered.ts';

const test = testWith({
  KEEP_USAGE_DAYS: '60',
  KEEP_AUDIT_DAYS: '1',
  KEEP_RECORDINGS_DAYS: '30',
  KEEP_TRANSCRIPTIONS_DAYS: '400',
});

test('OPS-78: who looks at what the operator lets be removed is told after how long', async ({ page, server }) => {
  const account = await enter(page);
  const { home, organization } = await createPlace(server.url, account);
  for (const [path, told] of [
    [`${home}api/logs/`, 'Requests are removed 60 days after the end of their month, in UTC.'],
    [`${organization}audit/`, 'Entries are removed after 1 day.'],
    [`${home}playground/speech-to-text/?mode=async`, 'Files are removed 30 days after they were uploaded.'],
  ] as const) {
    await page.goto(path);
    await expect(page.getByText(told)).toBeVisible();
  }
  await page.getByRole('button', { name: 'History' }).click();
  await expect(page.getByText('Transcriptions are removed 400 days after they ended.')).toBeVisible();
});
