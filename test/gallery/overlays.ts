/** What opens over a screen, or comes of what is done on it. */
import { expect, type Page } from '@playwright/test';
import { clip } from '../journeys/playground.ts';
import { DEMO_PASSWORD } from '../journeys/server.ts';
import { settle, type Scene } from './scene.ts';
import type { Place, World } from './world.ts';

type Opened = { screen: string; who?: 'demo' | 'fresh' | null; open: (page: Page, place: Place) => Promise<void> };

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name }).first();
const org = ({ orgUuid }: Place) => `/org/${orgUuid}/`;
const project = (place: Place) => `${org(place)}projects/${place.projectUuid}/`;
const playground = (place: Place, mode: string) => `${project(place)}playground/speech-to-text/?mode=${mode}`;

async function visit(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await settle(page);
}

/** The way to it: a screen, a button on it, and what then is there. */
const dialog = (screen: string, path: (place: Place) => string, name: string | RegExp): Opened => ({
  screen,
  open: async (page, place) => {
    await visit(page, path(place));
    await button(page, name).click();
    await expect(page.getByRole('dialog').or(page.getByRole('alertdialog')).first()).toBeVisible();
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
    screen: 'sign up, check your inbox',
    who: null,
    open: async (page) => {
      await visit(page, '/signup/');
      await page.getByLabel('E-mail').fill('somebody@example.org');
      await button(page, 'Sign up').click();
      await expect(page.getByRole('heading', { name: 'Check your inbox' })).toBeVisible();
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
  {
    screen: 'shortcuts',
    open: async (page, place) => {
      await visit(page, org(place));
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog')).toBeVisible();
    },
  },
  dialog('create project', org, 'Create project'),
  dialog('create API key', (place) => `${project(place)}api/keys/`, 'Create API key'),
  {
    screen: 'new API key',
    open: async (page, place) => {
      await visit(page, `${project(place)}api/keys/`);
      await button(page, 'Create API key').click();
      await page.getByLabel('Name').fill('laptop');
      await button(page, 'Create').click();
      await expect(page.getByRole('dialog', { name: 'Your new API key' })).toBeVisible();
      await button(page, 'Show').click();
    },
  },
  dialog('change a limit', (place) => `${org(place)}limits/`, 'Change Concurrent streams'),
  dialog('request an increase', (place) => `${org(place)}limits/`, 'Request an increase: Concurrent streams'),
  dialog('change a limit of a project', (place) => `${project(place)}limits/`, 'Change Stored files'),
  {
    screen: 'a limit that is too high',
    open: async (page, place) => {
      await visit(page, `${org(place)}limits/`);
      await button(page, 'Change Concurrent streams').click();
      await page.getByLabel('Streams at the same time').fill('1000000');
      await button(page, 'Save').click();
      await expect(page.locator('[aria-invalid=true]')).toBeVisible();
    },
  },
  dialog('delete project', (place) => `${project(place)}settings/`, 'Delete project'),
  dialog('delete organization', (place) => `${org(place)}settings/`, 'Delete organization'),
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
  ...['cURL', 'Python', 'Browser', 'JSON'].map((language) => ({
    screen: `playground, code for ${language}`,
    open: async (page: Page, place: Place) => {
      await visit(page, playground(place, 'async'));
      await button(page, 'View code').click();
      await page.getByRole('tab', { name: language }).last().click();
      await expect(page.getByRole('region', { name: `${language} code` })).toBeVisible();
    },
  })),
  {
    screen: 'playground, languages to choose from',
    open: async (page, place) => {
      await visit(page, playground(place, 'async'));
      const unfold = button(page, 'Show panel');
      if (await unfold.isVisible()) await unfold.click();
      await page.getByText('English only').click();
      await page.getByRole('checkbox').first().check();
    },
  },
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
  {
    screen: 'live, kept',
    open: async (page, place) => {
      await visit(page, playground(place, 'real-time'));
      await page.getByRole('radio', { name: 'File' }).check({ force: true });
      await page.getByLabel('Choose file').setInputFiles(clip('short.wav'));
      await button(page, 'Run').click();
      await button(page, 'Keep this session').click({ timeout: 60_000 });
      await expect(page.getByRole('status', { name: 'History' })).toContainText('Kept.');
    },
  },
];

export const OVERLAYS: Scene[] = OPENED.map(({ screen, who = 'demo', open }) => ({
  screen,
  state: 'open',
  who,
  open: (page, world: World) => open(page, world[who ?? 'demo']),
}));
