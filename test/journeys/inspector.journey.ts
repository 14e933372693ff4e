/** The inspector: what it shows, what it never shows, and that it is there when asked for only. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type BrowserContext,
  DEMO_EMAIL,
  DEMO_PASSWORD,
  expect,
  expectAccessible,
  type Page,
  signIn,
  test,
  watch,
  followed,
} from './fixtures.ts';
import { openTab } from './playground.ts';

const CHANNEL = 'parlance-inspector';
const assets = fileURLToPath(new URL('../../dist/web/assets', import.meta.url));
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** An actor in the tree; its label is its name and its state. */
const actor = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Actors' }).getByRole('button', { name: new RegExp(`^${name}\\b`) });
const log = (page: Page) => page.getByRole('region', { name: 'Log' });

test.use({ permissions: ['microphone'] });

/** Every message on the inspector's channel, as text; collected by a page of its own. */
async function listen(context: BrowserContext, baseURL: string | undefined): Promise<() => Promise<string>> {
  const page = await context.newPage();
  await page.goto(`${baseURL}/icon.svg`);
  await page.evaluate((name) => {
    const messages: unknown[] = [];
    Reflect.set(window, 'messages', messages);
    const channel = new BroadcastChannel(name);
    Reflect.set(window, 'channel', channel);
    channel.addEventListener('message', ({ data }) => messages.push(data));
  }, CHANNEL);
  return () => page.evaluate(() => JSON.stringify(Reflect.get(window, 'messages')));
}

/** The secrets that the page was given in this test; the speech key as the live socket is told it. */
function collectSecrets(page: Page): { keys: string[]; all: () => Promise<string[]> } {
  const keys: string[] = [];
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      if (typeof payload === 'string' && payload.includes('api_key'))
        keys.push(String(Reflect.get(JSON.parse(payload), 'api_key')));
    }),
  );
  const all = async () => {
    const { access, refresh }: Record<string, unknown> = JSON.parse(
      await page.evaluate(() => localStorage.getItem('jwt') ?? '{}'),
    );
    const cookies = await page.context().cookies();
    return [DEMO_PASSWORD, String(access), String(refresh), ...keys, ...cookies.map(({ value }) => value)];
  };
  return { keys, all };
}

/** Opens the inspector by hand, in a tab of its own. */
async function openInspector(context: BrowserContext): Promise<{ inspector: Page; complaints: string[] }> {
  const inspector = await context.newPage();
  const complaints = watch(inspector);
  await inspector.goto('/inspector');
  return { inspector, complaints };
}

test('shows the tree of actors and a live run, late as well, without secrets and without the network @gate', async ({
  page,
  context,
  baseURL,
}) => {
  const requests: string[] = [];
  context.on('request', (request) => requests.push(request.url()));
  const secrets = collectSecrets(page);
  const messages = await listen(context, baseURL);
  await page.goto('/?inspect');
  const popup =
    context.pages().find((other) => other.url().endsWith('/inspector')) ?? (await context.waitForEvent('page'));
  await expect(popup.getByRole('heading', { name: 'Inspector' })).toBeVisible();
  await expect(actor(popup, 'root')).toContainText('signedOut');
  await page.getByLabel('E-mail').fill(DEMO_EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
  await button(page, 'Sign in').click();
  await page.getByRole('link', { name: 'Speech-to-Text' }).click();
  await page.getByRole('tab', { name: 'WebSocket API' }).click();

  const { inspector, complaints } = await openInspector(context);
  // INS-01: before anything more happens in the console.
  for (const name of ['root', 'session', 'workspace', 'playground', 'live'])
    await expect(actor(inspector, name).first()).toBeVisible();
  await expect(actor(inspector, 'root')).toContainText('signedIn');
  // What happened before the page was opened is told again.
  await inspector.getByLabel('Text').fill('session.started');
  await expect(log(inspector).getByRole('listitem').filter({ hasText: 'session.started' }).first()).toContainText(
    /session → root/,
  );
  await inspector.getByLabel('Text').fill('');
  await expect(actor(inspector, 'live')).toContainText('stopped');

  await button(page, 'Run').click();
  await expect(page.getByRole('status').filter({ hasText: 'Running' })).toBeVisible();
  await expect(actor(inspector, 'live')).toContainText('running');
  await expect(actor(inspector, 'stream').first()).toBeVisible();
  await button(page, 'Stop').click();
  await expect(page.getByRole('status').filter({ hasText: 'Stopped' })).toBeVisible();
  await expect(actor(inspector, 'live')).toContainText('stopped');
  await inspector
    .getByLabel('Actor', { exact: true })
    .selectOption({ label: (await actor(inspector, 'live').innerText()).trim() });
  for (const text of ['run.requested', 'stop.requested', 'running'])
    await expect(log(inspector).getByRole('listitem').filter({ hasText: text }).first()).toBeVisible();

  await actor(inspector, 'session').click();
  const state = inspector.getByRole('region', { name: 'State' });
  await expect(state.getByText('[redacted]').first()).toBeVisible();
  await expect(state.getByText('Status')).toBeVisible();
  await expectAccessible(inspector);
  await inspector.emulateMedia({ colorScheme: 'dark' });
  await followed(inspector, 'dark');
  await expectAccessible(inspector);

  const told =
    (await messages()) +
    (await inspector.locator('body').innerText()) +
    (await inspector.content()) +
    (await popup.content());
  expect(told).toContain('@xstate.snapshot');
  expect(secrets.keys).toEqual([expect.stringMatching(/.{8,}/)]);
  for (const secret of await secrets.all())
    expect(told.includes(secret), `a secret of ${secret.length} characters is told`).toBe(false);
  expect(
    requests.filter((url) => new URL(url).origin !== baseURL && !url.startsWith('data:') && !url.startsWith('blob:')),
  ).toEqual([]);

  await button(inspector, 'Pause').press('Enter');
  await page.getByRole('link', { name: 'API keys' }).click();
  await expect(log(inspector).getByRole('status')).toHaveText(/Paused, [1-9]\d* waiting/);
  await button(inspector, 'Pause').press('Enter');
  await expect(log(inspector).getByRole('status')).not.toContainText('Paused');
  await button(inspector, 'Pause').press('Enter');
  await button(inspector, 'Clear').press('Enter');
  await expect(log(inspector).getByText('Nothing to show.')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('hands everything to the hosted inspector when asked, through its opener and to its origin alone', async ({
  page,
  context,
}) => {
  await context.route('https://stately.ai/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html><title>hosted</title><script>
        window.told = []; addEventListener('message', ({ data, origin }) => told.push([origin, data]));
        opener.postMessage({ type: '@statelyai.connected' }, '*');</script>`,
    }),
  );
  const secrets = collectSecrets(page);
  const told = (hosted: Page) => hosted.evaluate(() => JSON.stringify(Reflect.get(window, 'told')));
  await signIn(page, { path: '/?inspect' });
  const { inspector } = await openInspector(context);
  const [hosted] = await Promise.all([
    context.waitForEvent('page'),
    button(inspector, 'Open in Stately inspector').click(),
  ]);
  await expect(inspector.getByText('Connected to stately.ai')).toBeVisible();
  await expect.poll(() => told(hosted)).toContain('@xstate.snapshot');

  const direct = await context.newPage();
  const [opened] = await Promise.all([context.waitForEvent('page'), direct.goto('/?inspect=stately')]);
  await expect.poll(() => told(opened)).toContain('@xstate.actor');
  expect(new URL(opened.url()).origin).toBe('https://stately.ai');
  const all = (await told(hosted)) + (await told(opened));
  for (const secret of await secrets.all()) expect(all.includes(secret)).toBe(false);
});

test("gives the root actor to the browser's console while inspecting, and otherwise loads nothing of it", async ({
  page,
  context,
}) => {
  const status = (of: Page) => of.evaluate(() => window.parlance?.getSnapshot().status);
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(new URL(request.url()).pathname));
  await openTab(page, 'async');
  expect(await status(page)).toBeUndefined();
  const inspecting = readdirSync(assets).filter(
    (name) =>
      name.endsWith('.js') &&
      readFileSync(`${assets}/${name}`, 'utf8').includes('@xstate.actor') &&
      /^inspect-/.test(name),
  );
  expect(inspecting).toHaveLength(1);
  expect(scripts.filter((path) => /inspect/i.test(path))).toEqual([]);

  const inspected = await context.newPage();
  const loaded: string[] = [];
  inspected.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  await inspected.goto('/?inspect');
  await expect.poll(() => status(inspected)).toBe('active');
  expect(loaded).toContain(`/assets/${inspecting[0]}`);
});
