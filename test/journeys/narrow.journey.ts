import { readFile } from 'node:fs/promises';
import * as v from 'valibot';
import { StoredFile } from '#contract/files.ts';
import { OrganizationCreated, ProjectCreated } from '#contract/organizations.ts';
import { BILLING_PAGES } from '#machines/shared/route.ts';
import { PUBLIC_PATHS, SCREEN_PATHS } from '#src/locations.ts';
import type { Account } from './account.ts';
import { accountRow, enter, expect, type Page, test } from './fixtures.ts';
import { call, createAccount, linkTo, PASSWORD } from './people.ts';

// What the browser itself says of links that are known by nobody.
test.use({ allowed: [/status of 40[04]/] });

const WIDTHS = [320, 390];
const HEBREW = 'ארגון'.repeat(12);
const ARABIC = 'مشروع'.repeat(12);
const WIDE = 'Wasserwerkswartungswagen'.repeat(3).slice(0, 60);
const EMAIL = `${'ada-lovelace-'.repeat(4)}long@${'analytical-engine'.repeat(3)}.example.org`;

/** Every address that shows a screen of its own. */
const PATTERNS = ['/', '/user/', ...PUBLIC_PATHS, ...SCREEN_PATHS.keys()];

/** Answers as if one transcription of a file were there; returns its id. */
async function showTranscription(page: Page, file_id: string): Promise<string> {
  const id = '9a1b8a10-6f1c-4f0e-9a57-0d6b2f4f7a13';
  const done = {
    id,
    status: 'completed',
    created_at: '2026-04-01T10:00:00Z',
    model: 'parlance-async-1',
    filename: `${HEBREW}.wav`,
    file_id,
    audio_duration_ms: 9000,
    enable_speaker_diarization: true,
    enable_language_identification: true,
  };
  const words = [HEBREW, ` ${WIDE}`, ` ${ARABIC}`].map((text, index) => ({
    text,
    start_ms: index * 3000,
    end_ms: index * 3000 + 2900,
    speaker: '1',
  }));
  await page.route('**/v1/transcriptions?*', (route) =>
    route.fulfill({ json: { transcriptions: [done], next_page_cursor: null } }),
  );
  await page.route(`**/v1/transcriptions/${id}`, (route) => route.fulfill({ json: done }));
  await page.route(`**/v1/transcriptions/${id}/transcript`, (route) =>
    route.fulfill({ json: { id, text: words.map(({ text }) => text).join(''), tokens: words } }),
  );
  return id;
}

type World = {
  owner: Account;
  orgUuid: string;
  projectUuid: string;
  fileUuid: string;
  transcriptionUuid: string;
  tokens: Record<'signup' | 'password' | 'invite', string>;
};

/** An organization whose names are as long as they may be, in three scripts. */
async function createWorld(page: Page, url: string): Promise<World> {
  const owner = await createAccount(url, EMAIL);
  await call(url, owner, 'PUT', 'user/', { name: ARABIC });
  const made = await call(url, owner, 'POST', 'organizations/', { name: HEBREW, contact_email: 'contact@example.org' });
  const orgUuid = v.parse(OrganizationCreated, await made.json()).organization.uuid;
  const begun = await call(url, owner, 'POST', `organizations/${orgUuid}/projects/`, {
    name: WIDE,
    description: `${ARABIC} ${WIDE}`,
  });
  const projectUuid = v.parse(ProjectCreated, await begun.json()).project.uuid;
  await call(url, owner, 'POST', `organizations/${orgUuid}/projects/`, { name: ARABIC, description: HEBREW });
  for (const name of [HEBREW, WIDE])
    await call(url, owner, 'POST', `projects/${projectUuid}/api-keys/`, { name, expires_at: null });
  const invited = EMAIL.replace('ada', 'eva');
  await call(url, owner, 'POST', `organizations/${orgUuid}/invite/`, { email: invited, role: 'member' });
  const other = await createAccount(url, EMAIL.replace('ada', 'ida'));
  await call(url, other, 'PUT', 'user/', { name: HEBREW });
  const speech = {
    headers: {
      authorization: `Bearer ${JSON.stringify({ type: 'jwt', project_id: projectUuid, token: owner.tokens.access })}`,
    },
  };
  const buffer = await readFile(new URL('../../server/samples/weather-report.wav', import.meta.url));
  const sent = await page.request.post('/v1/files', {
    ...speech,
    multipart: { file: { name: `${HEBREW}.wav`, mimeType: 'audio/wav', buffer } },
  });
  const { id: fileUuid } = v.parse(StoredFile, await sent.json());
  const transcriptionUuid = await showTranscription(page, fileUuid);
  const token = async (email: string, kind: 'signup' | 'password' | 'invite') =>
    ((await linkTo(url, email, kind)) ?? '').split('/')[2] ?? '';
  return {
    owner,
    orgUuid,
    projectUuid,
    fileUuid,
    transcriptionUuid,
    tokens: { signup: await token(EMAIL, 'signup'), password: 'of-nobody', invite: await token(invited, 'invite') },
  };
}

/** The addresses that a pattern stands for. */
function addressesOf(pattern: string, world: World): string[] {
  const path = pattern
    .replace('$orgUuid', world.orgUuid)
    .replace('$projectUuid', world.projectUuid)
    .replace('$fileUuid', world.fileUuid)
    .replace('$transcriptionUuid', world.transcriptionUuid)
    .replace(
      /^\/(signup|password|invite)\/\$token/,
      (_, kind: 'signup' | 'password' | 'invite') => `/${kind}/${world.tokens[kind]}`,
    );
  if (path.includes('$page')) return BILLING_PAGES.map((name) => path.replace('$page', name));
  if (path.endsWith('/speech-to-text/'))
    return [`${path}?mode=async`, `${path}?mode=async&panel=history`, `${path}?mode=real-time`];
  return [path];
}

/** What of the page is cut, out of the window, or makes it scroll sideways; and names that share the direction of the words around them. */
function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const faults: string[] = [];
    const nameOf = (element: Element) =>
      `${element.tagName.toLowerCase()} "${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}"`;
    const isSeen = (element: Element) => {
      const { width: wide, height } = element.getBoundingClientRect();
      // What is for screen readers only is clipped to nothing.
      const { clip } = getComputedStyle(element);
      return (
        wide > 1 &&
        height > 1 &&
        !clip.startsWith('rect(0') &&
        element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      );
    };
    /** Inside of something that scrolls by itself, has a name and takes the focus. */
    const scrolls = (element: Element) => {
      const scroller = element.closest('[tabindex="0"][aria-label], [tabindex="0"][aria-labelledby]');
      return (
        scroller !== null && scroller !== element && ['auto', 'scroll'].includes(getComputedStyle(scroller).overflowX)
      );
    };
    if (document.documentElement.scrollWidth > width)
      faults.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    for (const element of document.querySelectorAll(
      'a, button, input, select, textarea, [role=button], [role=tab], [role=option], h1, h2, h3, p, li, td, dd',
    )) {
      if (!isSeen(element) || scrolls(element)) continue;
      const { left, right } = element.getBoundingClientRect();
      if (left < -0.5 || right > width + 0.5) faults.push(`${nameOf(element)} reaches from ${left} to ${right}`);
    }
    for (const element of document.querySelectorAll<HTMLElement>('body *')) {
      if (!isSeen(element) || scrolls(element) || element.closest('svg')) continue;
      const { overflowX, textOverflow, display } = getComputedStyle(element);
      const exceeds =
        element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 1 && !display.startsWith('inline');
      if (!exceeds) continue;
      // An ellipsis tells that there is more, and the tooltip what.
      if (textOverflow === 'ellipsis' && element.closest('[title], [aria-label]')) continue;
      const isButton = element.matches('button, a, label');
      if (['hidden', 'clip'].includes(overflowX) && !element.matches('input, textarea, select'))
        faults.push(`${nameOf(element)} is cut: ${element.scrollWidth} px in ${element.clientWidth}`);
      else if (isButton && overflowX === 'visible')
        faults.push(`${nameOf(element)} overflows: ${element.scrollWidth} px in ${element.clientWidth}`);
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
      const around = text.parentElement;
      if (around && /[\u0590-\u06ff]/.test(text.nodeValue ?? '') && !around.closest('script, style, bdi, [dir=auto]'))
        faults.push(`"${(text.nodeValue ?? '').slice(0, 60)}" has no direction of its own`);
    }
    return faults;
  });
}

async function expectFit(page: Page, what: string): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 740 });
    await expect.soft.poll(() => faultsOf(page), { message: `${what} at ${width} px`, timeout: 20_000 }).toEqual([]);
  }
}

/** Once nothing is on its way any more. */
async function settle(page: Page): Promise<void> {
  await expect(page.locator('h1').first()).toBeAttached();
  await expect(page.getByRole('heading', { name: 'Loading…' })).toHaveCount(0);
  await expect(page.locator('[aria-label^="Loading the"], [aria-busy=true]')).toHaveCount(0);
}

test('CON-23, CON-24: every screen fits 320 px with the longest names, and names keep the direction of their script', async ({
  page,
  server,
}) => {
  test.setTimeout(600_000);
  await page.setViewportSize({ width: 320, height: 740 });
  const world = await createWorld(page, server.url);
  const isPublic = (pattern: string) => /^\/(signin|signup|password|invite|sso)\//.test(pattern);
  expect(PATTERNS.length).toBeGreaterThanOrEqual(28);

  for (const pattern of PATTERNS.filter(isPublic)) {
    for (const address of addressesOf(pattern, world)) {
      await page.goto(address);
      await settle(page);
      await expectFit(page, address);
    }
  }
  await page.goto('/signup/');
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await expect(page.getByRole('heading', { name: 'Check your inbox' })).toBeVisible();
  await expectFit(page, 'Check your inbox');

  await enter(page, { email: EMAIL, password: PASSWORD });
  await page.goto(`/invite/${world.tokens.invite}/`);
  await expect(page.getByRole('heading', { name: 'This invitation is for somebody else' })).toBeVisible();
  await expectFit(page, 'an invitation of somebody else');
  for (const pattern of [
    ...PATTERNS.filter((one) => !isPublic(one)),
    '/no/such/page/',
    '/org/00000000-0000-4000-8000-000000000000/',
  ]) {
    for (const address of addressesOf(pattern, world)) {
      await page.goto(address);
      await settle(page);
      await expectFit(page, address);
    }
  }
});

test('CON-23, CON-24: so does what opens over a screen: drawer, switchers, dialogs; what is typed has its own direction', async ({
  page,
  server,
}) => {
  test.setTimeout(180_000);
  await page.setViewportSize({ width: 320, height: 740 });
  const email = 'narrow@example.org';
  const owner = await createAccount(server.url, email);
  const made = await call(server.url, owner, 'POST', 'organizations/', { name: HEBREW, contact_email: email });
  const orgUuid = v.parse(OrganizationCreated, await made.json()).organization.uuid;
  const begun = await call(server.url, owner, 'POST', `organizations/${orgUuid}/projects/`, {
    name: WIDE,
    description: '',
  });
  const projectUuid = v.parse(ProjectCreated, await begun.json()).project.uuid;
  await enter(page, { email, password: PASSWORD });
  const project = `/org/${orgUuid}/projects/${projectUuid}/`;

  await page.goto(project);
  await settle(page);
  for (const name of [/^Organizations: /, /^Projects: /]) {
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await expectFit(page, 'the drawer');
    await page.getByRole('button', { name }).click();
    await expectFit(page, `the switcher ${name.source}`);
    await page.keyboard.press('Escape');
    await accountRow(page).click();
    await expectFit(page, 'the account menu');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Close navigation' }).click();
  }
  await page.goto(`/org/${orgUuid}/`);
  await page.getByRole('main').getByRole('button', { name: 'Create project' }).click();
  const name = page.getByLabel('Name');
  await name.fill(ARABIC);
  expect(await name.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
  await name.fill('Archive');
  expect(await name.evaluate((element) => getComputedStyle(element).direction)).toBe('ltr');
  await expectFit(page, 'Create project');
  await page.keyboard.press('Escape');
  await expectFit(page, 'Discard');
  await page.getByRole('button', { name: 'Discard' }).click();

  await page.goto(`${project}api/keys/`);
  await page.getByRole('button', { name: 'Create API key' }).click();
  await page.getByLabel('Name').fill(HEBREW);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Your new API key' })).toBeVisible();
  await page.getByRole('button', { name: 'Show' }).click();
  await expectFit(page, 'a new key');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Close anyway' }).click();
  const row = page.getByRole('table').getByRole('row').filter({ hasText: HEBREW });
  await expect(row.getByRole('cell')).toHaveCount(6);
  await row.getByRole('button', { name: /^Revoke/ }).click();
  await expect(page.getByRole('alertdialog', { name: 'Revoke this API key?' })).toBeVisible();
  await expectFit(page, 'Revoke');
  await page.keyboard.press('Escape');

  await page.goto(`${project}settings/`);
  await page.getByRole('button', { name: 'Delete project' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectFit(page, 'Delete project');
  await page.keyboard.press('Escape');
  expect(
    (await call(server.url, owner, 'PUT', `organizations/${orgUuid}/`, { name: ARABIC, contact_email: email })).status,
  ).toBe(200);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(page.getByRole('status').filter({ hasText: `is now called ${ARABIC}.` })).toBeVisible();
  await expectFit(page, 'a notice');

  await page.goto(`${project}playground/speech-to-text/?mode=async`);
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/v1/files', async (route) => {
    if (route.request().method() === 'POST') await held;
    await route.fallback();
  });
  const buffer = await readFile(new URL('../../server/samples/weather-report.wav', import.meta.url));
  await page.getByLabel('Choose file').setInputFiles({ name: `${HEBREW}.wav`, mimeType: 'audio/wav', buffer });
  const uploading = page.getByRole('dialog', { name: 'Uploading file' });
  await expect(uploading).toContainText(`${HEBREW}.wav`);
  await expectFit(page, 'an upload');
  await uploading.getByRole('button', { name: 'Cancel' }).click();
  await expect(uploading).toHaveCount(0);
  release();

  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search screens and commands' }).fill('switch');
  await expectFit(page, 'the palette');
});
