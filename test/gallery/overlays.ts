/** What opens over a screen, or comes of what is done on it. */
import { expect, type Page } from '@playwright/test';
import type { AccountDeletionCheck } from '#contract/accounts.ts';
import type { OrganizationDeletion } from '#contract/organizations.ts';
import { clip } from '../journeys/playground.ts';
import { DEMO_PASSWORD } from '../journeys/server.ts';
import { settle, type Scene } from './scene.ts';
import type { Place, World } from './world.ts';

type Opened = {
  screen: string;
  who?: Scene['who'];
  /** From what the one before it has opened, by the same person. */
  goesOn?: true;
  open: (page: Page, place: Place) => Promise<void>;
};

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).first();
const org = ({ orgUuid }: Place) => `/org/${orgUuid}/`;
const project = (place: Place) => `${org(place)}projects/${place.projectUuid}/`;
const playground = (place: Place, mode: string) => `${project(place)}playground/speech-to-text/?mode=${mode}`;

async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await settle(page);
}

/** What comes after the one before it. */
const next = (screen: string, open: Opened['open']): Opened => ({ screen, goesOn: true, open });

/** The way to it: a screen, a button on it, and what then is there. */
const dialog = (screen: string, path: (place: Place) => string, name: string | RegExp): Opened => ({
  screen,
  open: async (page, place) => {
    await visit(page, path(place));
    await button(page, name).click();
    await expect(page.getByRole('dialog').or(page.getByRole('alertdialog')).first()).toBeVisible();
  },
});

/** The deletion of an organization with that balance, micro-USD, and what it says of it. */
const deletion = (screen: string, balance_micros: number, text: string): Opened => ({
  screen,
  open: async (page, place) => {
    await page.route('**/api/v2/organizations/*/deletion/', (route) =>
      route.fulfill({ json: { balance_micros } satisfies OrganizationDeletion }),
    );
    await visit(page, `${org(place)}settings/`);
    await button(page, 'Delete organization').click();
    await expect(page.getByRole('dialog').getByText(text)).toBeVisible();
  },
});

async function showCode(page: Page, language: string): Promise<void> {
  await page.getByRole('tab', { name: language }).last().click();
  await expect(page.getByRole('region', { name: `${language} code` })).toBeVisible();
}

/** The provider's page of test payments, from the button that leads there. */
async function beginPayment(page: Page, place: Place): Promise<void> {
  await visit(page, `${org(place)}billing/overview/`);
  await button(page, 'Add to balance').click();
  const asking = page.getByRole('dialog');
  await asking.getByRole('button', { name: '$25', exact: true }).click();
  await asking.getByRole('button', { name: 'Continue' }).click();
  await asking.getByRole('button', { name: /^Pay / }).click();
  await page.waitForURL('**/billing/test-payment/**');
}

/** A receipt opens in a tab of its own: it is shown in this one. */
const receipt = (name: 'Receipt' | 'Credit note'): Opened => ({
  screen: name.toLowerCase(),
  who: 'billed',
  open: async (page, place) => {
    await visit(page, `${org(place)}billing/transactions/?limit=100`);
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      button(page, new RegExp(`^${name} \\S+ of`)).click(),
    ]);
    await opened.waitForURL('**/billing/receipt/**');
    await page.goto(opened.url());
    await opened.close();
  },
});

const OPENED: readonly Opened[] = [
  {
    screen: 'sign in, refused',
    who: null,
    open: async (page) => {
      await visit(page, '/signin/');
      await page.getByLabel('E-mail').fill('nobody@example.org');
      await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
      await button(page, 'Sign in').click();
      await expect(page.getByRole('alert')).toBeVisible();
    },
  },
  {
    screen: 'sign up, ask for the link',
    who: null,
    open: async (page) => {
      await visit(page, '/signup/');
      await page.getByLabel('E-mail').fill('somebody@example.org');
      await button(page, 'Sign up').click();
      await expect(page.getByRole('heading', { name: 'Ask your administrator for the link' })).toBeVisible();
    },
  },
  {
    screen: 'command palette',
    open: async (page, place) => {
      await visit(page, org(place));
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('combobox', { name: 'Search screens and commands' })).toBeVisible();
    },
  },
  next('shortcuts', async (page) => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('combobox', { name: 'Search screens and commands' })).toBeHidden();
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog')).toBeVisible();
  }),
  dialog('create project', org, 'Create project'),
  dialog('create API key', (place) => `${project(place)}api/keys/`, 'Create API key'),
  next('new API key', async (page) => {
    await page.getByLabel('Name').fill('laptop');
    await button(page, 'Create').click();
    await expect(page.getByRole('dialog', { name: 'Your new API key' })).toBeVisible();
    await button(page, 'Show').click();
  }),
  dialog('add to balance', (place) => `${org(place)}billing/overview/`, 'Add to balance'),
  { screen: 'test payment', who: 'billed', open: beginPayment },
  next('test payment, declined', async (page) => {
    await page.getByRole('radio', { name: /declined/ }).check();
    await page.getByRole('button', { name: /^Pay / }).click();
    await expect(page.getByRole('alert')).toBeVisible();
  }),
  next('test payment, to be confirmed', async (page) => {
    await page.getByRole('radio', { name: /confirm/ }).check();
    await page.getByRole('button', { name: /^Pay / }).click();
    await expect(button(page, 'Confirm')).toBeVisible();
  }),
  receipt('Receipt'),
  receipt('Credit note'),
  {
    screen: 'request in the logs',
    who: 'billed',
    open: async (page, place) => {
      await visit(page, `${project(place)}api/logs/?period=all`);
      await page.getByRole('table', { name: 'Requests' }).getByRole('link').first().click();
      await expect(page.getByRole('dialog', { name: 'Request' })).toBeVisible();
      await settle(page);
    },
  },
  {
    screen: 'webhook, opened',
    who: 'billed',
    open: async (page, place) => {
      await visit(page, `${project(place)}api/webhooks/`);
      await page.getByRole('table', { name: 'Webhooks' }).getByRole('link').nth(1).click();
      await expect(page.getByRole('list', { name: 'Attempts' })).toBeVisible();
      await settle(page);
    },
  },
  next('webhooks, roll the signing secret', async (page) => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('list', { name: 'Attempts' })).toBeHidden();
    await button(page, 'Roll secret').click();
    await expect(page.getByRole('alertdialog')).toBeVisible();
  }),
  {
    screen: 'webhooks, how to check one',
    open: async (page, place) => {
      await visit(page, `${project(place)}api/webhooks/`);
      await page.getByText('How to check a signature').click();
      await expect(page.getByRole('region', { name: 'Check in Python' })).toBeVisible();
    },
  },
  next('webhooks, signing secret', async (page) => {
    await button(page, 'Show secret').click();
    await expect(page.getByRole('dialog', { name: 'Your signing secret' })).toBeVisible();
    await button(page, 'Show').click();
  }),
  dialog('change a limit', (place) => `${org(place)}limits/`, 'Change the limit of concurrent streams'),
  next('a limit that is too high', async (page) => {
    await page.getByLabel('Streams at the same time').fill('1000000');
    await button(page, 'Save').click();
    await expect(page.locator('[aria-invalid=true]')).toBeVisible();
  }),
  dialog('request an increase', (place) => `${org(place)}limits/`, 'Request an increase: Concurrent streams'),
  dialog('change a limit of a project', (place) => `${project(place)}limits/`, 'Change the limit of stored files'),
  dialog('delete project', (place) => `${project(place)}settings/`, 'Delete project'),
  dialog('delete account, the only owner', () => '/user/', 'Delete account'),
  {
    screen: 'delete account',
    open: async (page) => {
      await page.route('**/api/v2/user/deletion/', (route) =>
        route.fulfill({
          json: { organizations: [], api_keys: 2, confirmed_by: 'password' } satisfies AccountDeletionCheck,
        }),
      );
      await visit(page, '/user/');
      await button(page, 'Delete account').click();
      const asking = page.getByRole('dialog');
      await asking.getByLabel('Type your e-mail address to confirm').fill('somebody@example.org');
      await asking.getByRole('button', { name: 'Delete account' }).click();
      await expect(asking.getByText('Please enter your password.')).toBeVisible();
    },
  },
  deletion('delete organization', 12_500_000, 'The balance of $12.50 will be lost.'),
  deletion('delete organization, which owes', -3_200_000, 'The organization owes $3.20.'),
  {
    screen: 'invite, with errors',
    open: async (page, place) => {
      await visit(page, `${org(place)}members/invite/`);
      await button(page, 'Create invitation').click();
      await expect(page.locator('[aria-invalid=true]').first()).toBeVisible();
    },
  },
  {
    screen: 'organization settings, saved',
    open: async (page, place) => {
      await visit(page, `${org(place)}settings/`);
      await page.getByLabel('Name').fill('Demo organization renamed');
      await button(page, 'Save').click();
      await expect(page.getByRole('status').filter({ hasText: /saved|updated/i })).toBeVisible();
    },
  },
  {
    screen: 'playground, a file is transcribed',
    open: async (page, place) => {
      await visit(page, playground(place, 'async'));
      await page.getByRole('list', { name: 'Files' }).getByRole('link').first().click();
      await button(page, 'Transcribe file').click();
      await expect(
        page
          .getByRole('region', { name: /transcript/i })
          .locator('[data-details]')
          .first(),
      ).toBeVisible({
        timeout: 60_000,
      });
      await settle(page);
    },
  },
  {
    screen: 'playground, code for cURL',
    open: async (page, place) => {
      await visit(page, playground(place, 'async'));
      await button(page, 'View code').click();
      await showCode(page, 'cURL');
    },
  },
  ...['Python', 'Browser', 'JSON'].map((language) =>
    next(`playground, code for ${language}`, (page) => showCode(page, language)),
  ),
  next('playground, languages to choose from', async (page) => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('region', { name: 'JSON code' })).toBeHidden();
    const unfold = button(page, 'Show panel');
    if (await unfold.isVisible()) await unfold.click();
    await page.getByText('English only').click();
    await page.getByRole('checkbox').first().check();
  }),
  {
    screen: 'playground, not audio',
    open: async (page, place) => {
      await visit(page, playground(place, 'async'));
      await page
        .getByLabel('Choose file')
        .setInputFiles({ name: 'broken.wav', mimeType: 'audio/wav', buffer: Buffer.from('This is no recording.') });
      await expect(page.getByText(/isn't audio|Failed to load audio file|not audio/i).first()).toBeVisible();
    },
  },
  {
    screen: 'live, running and then stopped',
    open: async (page, place) => {
      await visit(page, playground(place, 'real-time'));
      await page.getByRole('radio', { name: 'File' }).check({ force: true });
      await page.getByLabel('Choose file').setInputFiles(clip('two-sentences.wav'));
      await button(page, 'Run').click();
      await expect(page.getByRole('region', { name: 'Live transcript' }).locator('[data-details]').first()).toBeVisible(
        {
          timeout: 60_000,
        },
      );
      await button(page, 'Stop').click();
      await expect(button(page, 'Run')).toBeEnabled();
    },
  },
  next('live, kept', async (page) => {
    await button(page, 'Keep this session').click();
    await expect(page.getByRole('status', { name: 'History' })).toContainText('Kept.');
  }),
];

export const OVERLAYS: Scene[] = [];
for (const { screen, goesOn, open, ...opened } of OPENED) {
  const before = OVERLAYS.at(-1);
  const { who = 'demo' } = goesOn && before ? before : opened;
  const step = (page: Page, world: World) => open(page, world[who ?? 'demo']);
  const all = async (page: Page, world: World) => {
    await before?.open(page, world);
    await step(page, world);
  };
  OVERLAYS.push({ screen, state: 'open', who, ...(goesOn ? { open: all, goOn: step } : { open: step }) });
}
