import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { type OtherServer, type Seen, startOther } from '../server/outgoing-servers.ts';
import { fitsIn } from './failures.ts';
import { enter, expect, expectAccessible, isGate, type Page, pressEscape, testWith } from './fixtures.ts';
import { createPlace } from './metered.ts';
import { createAccount, join, PASSWORD } from './people.ts';
import { failOf, uploadNoise } from './requests.ts';

const test = testWith({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.1' });

const rows = (page: Page) => page.getByRole('table', { name: 'Webhooks' }).locator('[data-row]');
const cell = (page: Page, title: string) => rows(page).first().locator(`[data-title="${title}"]`);
const drawer = (page: Page) => page.getByRole('dialog', { name: 'Webhook', exact: true });
const tries = (page: Page) => drawer(page).getByRole('list', { name: 'Attempts' }).getByRole('listitem');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** A server that is called; it answers as told, at once with 204 unless told otherwise. */
async function receive(): Promise<OtherServer & { answering: { how: (response: ServerResponse) => void } }> {
  const answering = { how: (response: ServerResponse) => void response.writeHead(204).end() };
  return Object.assign(await startOther((_seen, response) => answering.how(response)), { answering });
}

/** Shows the secret of the dialog that is open, copies it, and closes the dialog. */
async function take(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Your signing secret' });
  const shown = dialog.getByLabel('Signing secret', { exact: true });
  await expect(shown).toHaveText(/^•+$/);
  await dialog.getByRole('button', { name: 'Show' }).click();
  await expect(shown).toHaveText(/^whsec_[\w+/]{43}=$/);
  const secret = await shown.innerText();
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await expect(dialog.getByText('Signing secret copied.')).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(secret);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(dialog).toHaveCount(0);
  return secret;
}

/** What the code says that the page tells to check by: whether it takes what the receiver got. */
async function checkedBy(code: string, secret: string, { headers, body }: Seen): Promise<string> {
  const asked = `console.log(String(isGenuine(${JSON.stringify(headers)}, ${JSON.stringify(body)})))`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', `${code.replace('export ', '')}\n${asked}`],
    { env: { ...process.env, WEBHOOK_SECRET: secret } },
  );
  return stdout.trim();
}

test('WHK-08 WHK-11 WHK-12: webhooks appear as they come, open, verify by the secret shown once, and are sent again @gate', async ({
  page,
  browser,
  context,
  server,
}) => {
  test.setTimeout(240_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const hooks = await receive();
  const owner = await enter(page);
  const { orgUuid, projectUuid, home } = await createPlace(server.url, owner);
  const fileId = await uploadNoise(page, owner, projectUuid);
  const send = (...references: string[]) =>
    failOf(page, owner, projectUuid, {
      fileId,
      references,
      webhookUrl: `${hooks.url}/hook/${'long-'.repeat(30)}?token=not-told`,
    });

  await page.goto(home);
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Webhooks' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Webhooks' })).toBeVisible();
  await expect(page).toHaveURL(`${home}api/webhooks/`);
  await expect(page.getByText('No webhooks yet')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Webhooks in the API reference' }).last()).toHaveAttribute(
    'href',
    /\/api\/docs#webhooks$/,
  );

  // The secret, once; leaving it uncopied is asked about.
  await button(page, 'Show secret').click();
  await expect(page.getByRole('dialog', { name: 'Your signing secret' })).toBeVisible();
  await page.evaluate(() => history.back());
  const leaving = page.getByRole('alertdialog', { name: 'Leave this page?' });
  await expect(leaving).toContainText("You haven't copied the signing secret, and you won't see it again.");
  await leaving.getByRole('button', { name: 'Stay' }).click();
  const old = await take(page);
  await expect(button(page, 'Roll secret')).toBeFocused();

  // It comes by itself, under way first, then with what became of the try, and when the next one is.
  const held: ServerResponse[] = [];
  hooks.answering.how = (response) => void held.push(response);
  const [first = ''] = await send('first');
  await expect(rows(page)).toHaveCount(1);
  await expect(cell(page, 'State')).toHaveText('Waiting');
  await expect(cell(page, 'Attempts')).toHaveText('1 · under way');
  await rows(page).getByRole('link').click();
  await expect(page).toHaveURL(`${home}api/webhooks/?webhook=${first}`);
  await expect(tries(page)).toHaveText(/^Under way/);
  await expect.poll(() => held.length).toBe(1);
  hooks.answering.how = (response) => void response.writeHead(204).end();
  held[0]?.writeHead(503).end();
  await expect(tries(page).last()).toContainText('HTTP 503');
  await expect(drawer(page)).toContainText('It is retried automatically for about a day.');
  await expect(button(page, 'Send again')).toHaveAttribute('aria-disabled', 'true');
  await expect(drawer(page)).toContainText(`${hooks.url}/hook`);
  await expect(page.getByText('not-told')).toHaveCount(0);
  await pressEscape(page);
  await expect(drawer(page)).toHaveCount(0);
  await expect(page).toHaveURL(`${home}api/webhooks/`);
  await expect(rows(page).getByRole('link')).toBeFocused();
  await expect(cell(page, 'Attempts')).toHaveText(/^[1-9] · (next|under way)/);
  // However long the address is, every column shows.
  await page.setViewportSize({ width: 1280, height: 800 });
  const table = page.getByRole('region', { name: 'Webhooks', exact: true });
  expect(await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);

  // One that was received is sent again, with the same id.
  const [second = ''] = await send('second');
  await expect(cell(page, 'State')).toHaveText('Delivered');
  await rows(page).first().getByRole('link').click();
  await expect(tries(page)).toContainText(['HTTP 204']);
  await button(page, 'Send again').click();
  await expect(page.getByText('The webhook is being sent again.')).toBeVisible();
  await expect(tries(page)).toContainText(['HTTP 204', 'HTTP 204']);
  expect(hooks.seen.filter(({ headers }) => headers['webhook-id'] === second)).toHaveLength(2);
  await pressEscape(page);
  await expect(cell(page, 'Attempts')).toHaveText('2');

  // Rolled, after a question: for a day both sign, which the code on the page takes.
  await button(page, 'Roll secret').click();
  const asking = page.getByRole('alertdialog', { name: 'Roll the signing secret?' });
  await expect(asking).toContainText('For 24 hours webhooks are signed with both');
  await asking.getByRole('button', { name: 'Roll secret' }).click();
  const fresh = await take(page);
  expect(fresh).not.toBe(old);
  await expect(page.getByText('The previous secret also signs until')).toBeVisible();
  const [third = ''] = await send('third');
  await expect(rows(page)).toHaveCount(3);
  await expect(cell(page, 'State')).toHaveText('Delivered');
  await page.getByText('How to check a signature').click();
  const code = await page.getByRole('region', { name: 'Check in Node.js' }).innerText();
  const last = hooks.seen.find(({ headers }) => headers['webhook-id'] === third)!;
  for (const secret of [old, fresh]) expect(await checkedBy(code, secret, last)).toBe('true');
  expect(await checkedBy(code, fresh, { ...last, body: `${last.body} ` })).toBe('false');

  if (isGate) return hooks.close();

  // Who may not is told so.
  const email = 'watcher@webhooks.example';
  const watcher = await createAccount(server.url, email);
  const how = { role: 'member', project_uuids: [projectUuid] };
  await join(server.url, { owner, orgUuid, account: watcher, email }, how);
  const narrow = { viewport: { width: 320, height: 740 }, colorScheme: 'dark', reducedMotion: 'reduce' } as const;
  const theirs = await (await browser.newContext({ baseURL: server.url, ...narrow })).newPage();
  await enter(theirs, { email, password: PASSWORD });
  await theirs.goto(`${home}api/webhooks/?state=lost&webhook=${second}`);
  await expect(drawer(theirs)).toContainText('An owner or admin of the organization can send it again.');
  await expectAccessible(theirs);
  expect(await fitsIn(theirs)).toBe(true);
  await expect(theirs.getByText("The address asks for something that doesn't exist.")).toBeVisible();
  await pressEscape(theirs);
  await expect(theirs).toHaveURL(`${home}api/webhooks/`);
  await expect(theirs.getByText('An owner or admin of the organization can show and roll it.')).toBeVisible();
  await expect(theirs.getByRole('button', { name: /secret|Send again/ })).toHaveCount(0);
  expect(await fitsIn(theirs)).toBe(true);
  return hooks.close();
});

test('WHK-10: a state in the address narrows the webhooks; they read page by page, and the first new one gets the focus', async ({
  page,
  server,
}) => {
  const { home } = await createPlace(server.url, await enter(page));
  await page.goto(`${home}api/webhooks/`);
  await button(page, 'Failed').click();
  await expect(page).toHaveURL(`${home}api/webhooks/?state=failed`);
  await expect(page.getByText('No webhooks failed')).toBeVisible();
  await button(page, 'Show all').click();
  await expect(page).toHaveURL(`${home}api/webhooks/`);
  await expect(page.getByText('No webhooks yet')).toBeVisible();

  const at = new Date().toISOString();
  const deliveries = Array.from({ length: 51 }, () => ({
    transcription_id: randomUUID(),
    address: 'https://example.org/hook',
    state: 'delivered',
    tries: 1,
    status_code: 200,
    failure: null,
    created_at: at,
    changed_at: at,
    next_try_at: null,
    can_be_sent_again: false,
  }));
  await page.route('**/api/v2/**/webhooks/?*', (route) =>
    route.fulfill({
      json: new URL(route.request().url()).searchParams.has('cursor')
        ? { deliveries: deliveries.slice(50), next_page_cursor: null }
        : { deliveries: deliveries.slice(0, 50), next_page_cursor: 'more' },
    }),
  );
  await page.reload();
  await expect(rows(page)).toHaveCount(50);
  await button(page, 'Load more').click();
  await expect(rows(page)).toHaveCount(51);
  await expect(rows(page).last().getByRole('link')).toBeFocused();
});
