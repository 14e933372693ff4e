import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import * as v from 'valibot';
import { FilePage } from '#contract/files.ts';
import { expect, SERVER_AWAY } from '../fixtures.ts';
import { type DemoAccount } from '../account.ts';
import { dataOf, killable, openPlayground, patiently, stateOf } from './faults.ts';
import { slowDown } from '../playground.ts';
import { repeated } from './recordings.ts';

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Uploading file' });
const failed = (page: Page) => page.getByRole('dialog', { name: 'File upload failed' });
const library = (page: Page) => page.getByRole('list', { name: 'Files' });
/** Some megabytes, so that sending takes time. */
const recording = (name: string) => repeated('two-sentences.wav', 15, name);

/** Bytes per second. */
const SLOW = 200_000;

/** Files of the project as the server has them. */
async function stored(url: string, { credential }: DemoAccount): Promise<string[]> {
  const answer = await fetch(`${url}/v1/files?limit=50`, { headers: { authorization: credential } });
  return v.parse(FilePage, await answer.json()).files.map(({ filename }) => filename);
}

/** Halves of files in the data directory. */
const halves = (directory: string) => readdirSync(join(directory, 'files')).filter((name) => name.endsWith('.part'));

/** Begins to send a file slowly and comes back in the middle of it; returns what lets the rest go fast. */
async function beginUpload(page: Page, directory: string, name: string): Promise<() => Promise<void>> {
  const hurry = await slowDown(page, SLOW);
  await page.getByLabel('Choose file').setInputFiles(recording(name));
  await expect(dialog(page)).toBeVisible();
  await patiently(dialog(page).getByRole('progressbar')).toHaveAttribute('aria-valuenow', /^[1-9]\d?$/);
  await patiently.poll(() => halves(directory)).toHaveLength(1);
  return hurry;
}

killable(
  'UPL-01: cancel, and a reload, in the middle leave no half file and no row',
  async ({ console: page, account, server }) => {
    await openPlayground(page, account, 'async');
    const before = await stored(server.url, account);
    for (const leave of [() => dialog(page).getByRole('button', { name: 'Cancel' }).click(), () => page.reload()]) {
      const hurry = await beginUpload(page, dataOf(server), 'left.wav');
      await leave();
      await hurry();
      await expect(dialog(page)).toBeHidden();
      await patiently.poll(() => halves(dataOf(server))).toEqual([]);
      expect(await stored(server.url, account)).toEqual(before);
      await expect(library(page).getByText('left.wav')).toBeHidden();
    }
  },
);

killable.describe('without a server or a network', () => {
  // What the browser itself says about requests that get no answer.
  killable.use({
    allowed: [SERVER_AWAY],
  });

  killable(
    'UPL-02: a server that dies in the middle is told, and Retry sends the file when it is back @gate',
    async ({ console: page, account, server }) => {
      await openPlayground(page, account, 'async');
      const before = await stored(server.url, account);
      const hurry = await beginUpload(page, dataOf(server), 'killed.wav');
      await server.stop('SIGKILL');
      await patiently(failed(page)).toBeVisible();
      await expect(failed(page).getByRole('alert')).toContainText(
        'Something went wrong. Check your connection and try again.',
      );
      expect(await stateOf(page, 'upload')).toBe('failed');
      expect(halves(dataOf(server))).toHaveLength(1);

      await server.start();
      expect(halves(dataOf(server))).toEqual([]);
      expect(await stored(server.url, account)).toEqual(before);
      await hurry();
      await failed(page).getByRole('button', { name: 'Retry' }).click();
      await patiently(page).toHaveURL(/\/new\/[\w-]+\/\?mode=async/);
      expect(await stored(server.url, account)).toEqual(['killed.wav', ...before]);
      expect(halves(dataOf(server))).toEqual([]);
    },
  );

  // Not in the middle of a file: Chromium's emulation then only sometimes breaks what is under way.
  killable(
    'UPL-02 ERR-08: without a network a file is not sent and says so, and Retry sends it when the network is back @gate',
    async ({ console: page, context, account, server }) => {
      await openPlayground(page, account, 'async');
      const before = await stored(server.url, account);
      await context.setOffline(true);
      await page.getByLabel('Choose file').setInputFiles(recording('offline.wav'));
      await patiently(failed(page)).toBeVisible();
      await context.setOffline(false);
      await failed(page).getByRole('button', { name: 'Retry' }).click();
      await patiently(page).toHaveURL(/\/new\/[\w-]+\/\?mode=async/);
      expect(await stored(server.url, account)).toEqual(['offline.wav', ...before]);
    },
  );
});
