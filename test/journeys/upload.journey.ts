import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { hold } from './failures.ts';
import { expect, type Page, test } from './fixtures.ts';
import { clip, openTab } from './playground.ts';

const uploading = (page: Page) => page.getByRole('dialog', { name: 'Uploading file' });
const failed = (page: Page) => page.getByRole('dialog', { name: 'File upload failed' });
const isUpload = ({ method, url }: { method: string; url: string }) =>
  method === 'POST' && new URL(url).pathname === '/v1/files';

/** Drags files or folders of this computer over a point of the page and drops them there. */
async function dropAt(page: Page, paths: string[], x: number, y: number, isTold = false): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    // Over the zone the page says what letting go will do.
    if (isTold && type === 'drop') await expect(page.getByText('Drop the file to upload it')).toBeVisible();
    await session.send('Input.dispatchDragEvent', {
      type,
      x,
      y,
      data: { items: [], files: paths, dragOperationsMask: 1 },
    });
  }
}

async function dropOn(page: Page, paths: string[]): Promise<void> {
  const area = await page.getByText('Drop a recording here').boundingBox();
  if (!area) throw new Error('There is nowhere to drop anything.');
  await dropAt(page, paths, area.x + 5, area.y + 5, true);
  await expect(page.getByText('Drop the file to upload it')).toBeHidden();
}

test('UPL-01: the first dropped file is sent, a folder is not; a drop elsewhere neither starts anything nor leaves the page', async ({
  page,
}) => {
  const folder = mkdtempSync(`${tmpdir()}/parlance-folder-`);
  await openTab(page, 'async');
  const url = page.url();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (isUpload({ method: request.method(), url: request.url() })) sent.push(request.url());
  });
  await dropAt(page, [clip('short.wav')], 10, 400);
  await dropOn(page, [folder]);
  await expect(page.getByText('Error! A folder cannot be uploaded. Drop a file.')).toBeVisible();
  await expect(uploading(page).or(failed(page))).toBeHidden();
  expect(sent).toEqual([]);
  rmSync(folder, { recursive: true });

  const release = await hold(page, '**/v1/files', { method: 'POST' });
  await dropOn(page, [clip('short.wav'), clip('short.mp3')]);
  await expect(
    page.getByText('Error! Only one file can be uploaded at a time. The first one was taken.'),
  ).toBeVisible();
  await expect(uploading(page)).toBeVisible();
  await dropAt(page, [clip('short.mp3')], 640, 400);
  await dropAt(page, [clip('short.mp3')], 640, 890);
  await expect(uploading(page)).toContainText('short.wav');
  expect(page.url()).toBe(url);
  release();
  await expect(page).toHaveURL(/\/new\/[\w-]+\/\?mode=async$/);
  await expect(page.getByRole('group', { name: 'Recording short.wav' })).toBeVisible();
  expect(sent).toHaveLength(1);
});

test('UPL-03 ERR-06: a file keeps the name that its owner gave it', async ({ page }) => {
  await openTab(page, 'async');
  const names = [
    'Gespräch №5 – 会議 🎧 100% #1 & co.wav',
    '<b>bold<b> \'quoted\' "double".wav',
    '.hidden.wav',
    'a'.repeat(200) + '.wav',
  ];
  for (const name of names) {
    await page
      .getByLabel(/^Choose (file|another)$/)
      .setInputFiles({ name, mimeType: 'audio/wav', buffer: Buffer.from('none') });
    await expect(page.getByRole('group', { name: 'File', exact: true }).getByText(name)).toBeVisible();
  }
  await page.getByRole('link', { name: 'Speech-to-Text' }).click();
  await page.getByRole('tab', { name: 'REST API' }).click();
  const rows = page.getByRole('list', { name: 'Files' }).getByRole('listitem');
  for (const [index, name] of names.toReversed().entries())
    await expect(rows.nth(index).getByTitle(name, { exact: true })).toHaveText(name);
});

test('UPL-01 UPL-02: a file that is larger than the page settings allow is refused before anything is sent', async ({
  page,
}) => {
  await page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.fallback();
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      body: (await answer.text()).replace(/"maxUploadBytes":\d+/, '"maxUploadBytes":1048576'),
    });
  });
  await openTab(page, 'async');
  const sent: string[] = [];
  page.on('request', (request) => {
    if (isUpload({ method: request.method(), url: request.url() })) sent.push(request.url());
  });
  await page
    .getByLabel('Choose file')
    .setInputFiles({ name: 'odd.wav', mimeType: 'audio/wav', buffer: Buffer.alloc(1_048_577) });
  await expect(failed(page).getByRole('alert')).toContainText('The file is larger than 1 MiB.');
  await expect(failed(page).getByRole('button', { name: 'Retry' })).toBeHidden();
  expect(sent).toEqual([]);
});

test.describe('with a server that refuses', () => {
  test.use({ allowed: [/Failed to load resource/] });

  test("UPL-02 ERR-01 CON-22: the server's text is told, of a failure with its request; Retry sends the file again", async ({
    page,
  }) => {
    await openTab(page, 'async');
    const request_id = '5a0f4e9e-54b8-4d53-8c59-1b6a53f0c6d7';
    const answers = [
      { status_code: 429, message: 'Too many requests. Try again in 10 seconds.' },
      { status_code: 500, message: 'The server broke down.' },
    ].map((answer) => ({ ...answer, error_type: 'refused', validation_errors: [], request_id }));
    let tries = 0;
    await page.route('**/v1/files', (route) => {
      const json = answers[tries++];
      return json ? route.fulfill({ status: json.status_code, json }) : route.fallback();
    });
    const alert = failed(page).getByRole('alert');
    await page.getByLabel('Choose file').setInputFiles(clip('short.wav'));
    await expect(alert).toContainText('Too many requests. Try again in 10 seconds.');
    await expect(alert).not.toContainText(request_id);
    await failed(page).getByRole('button', { name: 'Retry' }).click();
    await expect(alert).toContainText('The server broke down.');
    await expect(alert).toContainText(request_id);
    await failed(page).getByRole('button', { name: 'Retry' }).click();
    await expect(page.getByRole('group', { name: 'Recording short.wav' })).toBeVisible();
  });
});

test('the browser asks before a page with an upload under way is left, and only then', async ({ page }) => {
  await openTab(page, 'async');
  const asked: string[] = [];
  page.on('dialog', async (dialog) => {
    asked.push(dialog.type());
    await dialog.dismiss();
  });
  await page.reload();
  expect(asked).toEqual([]);
  await page.getByRole('button', { name: 'History' }).click();
  const release = await hold(page, '**/v1/files', { method: 'POST' });
  await page.getByLabel('Choose file').setInputFiles(clip('short.wav'));
  await expect(uploading(page)).toBeVisible();
  await page.evaluate(() => location.reload());
  await expect.poll(() => asked).toEqual(['beforeunload']);
  // Stayed: the upload goes on.
  release();
  await expect(page.getByRole('group', { name: 'Recording short.wav' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('group', { name: 'Recording short.wav' })).toBeVisible();
  expect(asked).toEqual(['beforeunload']);
});
