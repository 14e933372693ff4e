import type { Page } from '@playwright/test';
import * as v from 'valibot';
import { TranscriptionPage } from '#contract/transcriptions.ts';
import { expect, SERVER_AWAY } from '../fixtures.ts';
import { expectSpoken, spoken } from '../playground.ts';
import { type DemoAccount } from '../account.ts';
import { killable, openPlayground, patiently, stateOf } from './faults.ts';
import { repeated } from './recordings.ts';

/** Long enough to be under way for some seconds. */
const TIMES = 8;
const CLIP = 'two-sentences.wav';

const history = (page: Page) => page.getByRole('list', { name: 'Transcriptions' });

/** Status of the newest transcription of that name, as the server has it; undefined where there is none. */
async function statusOf(url: string, { credential }: DemoAccount, name: string): Promise<string | undefined> {
  const answer = await fetch(`${url}/v1/transcriptions?limit=50`, { headers: { authorization: credential } });
  return v.parse(TranscriptionPage, await answer.json()).transcriptions.find(({ filename }) => filename === name)
    ?.status;
}

/** Uploads a recording, asks for its text, and comes back while the server works on it. */
async function beginTranscription(page: Page, url: string, account: DemoAccount, name: string): Promise<void> {
  await openPlayground(page, account, 'async');
  await page.getByLabel('Choose file').setInputFiles(repeated(CLIP, TIMES, name));
  await patiently(page).toHaveURL(/\/new\/[\w-]+\/\?mode=async/);
  await page.getByRole('button', { name: 'Transcribe file' }).click();
  await patiently(page).toHaveURL(/\/speech-to-text\/[\w-]{36}\/\?mode=async/);
  await patiently.poll(() => statusOf(url, account, name), { intervals: [100] }).toBe('processing');
}

killable.describe('without a server', () => {
  killable.use({
    // By itself a list of two would be taken for a value and its options.
    allowed: [[SERVER_AWAY, /^Failed to load resource: the server responded with a status of 503/], { scope: 'test' }],
  });

  killable(
    'ASY-09: a server that dies while it works is told, and after its return the text comes by itself',
    async ({ console: page, account, server }) => {
      killable.setTimeout(150_000);
      await beginTranscription(page, server.url, account, 'killed.wav');
      const address = page.url();
      await server.stop('SIGKILL');
      const unreachable = page.getByRole('alert').filter({
        hasText:
          /^(The server cannot be reached|The state of the transcription could not be read)\. Trying again soon\./,
      });
      await patiently(unreachable).toBeVisible();
      await expect(page.getByText(/^Transcription killed\.wav is \w+\.$/)).toBeVisible();
      expect(await stateOf(page, 'transcription')).toMatchObject({
        polling: expect.stringMatching(/unreachable|checking/),
      });

      await server.start();
      // The model is loaded and the recording begun anew, on cores that other tests use too.
      await expectSpoken(
        page.getByRole('region', { name: 'Transcript text' }),
        Array<string>(TIMES).fill(spoken(CLIP)).join(' '),
        80_000,
      );
      await expect(unreachable).toBeHidden();
      await expect(history(page).getByRole('listitem').first()).toContainText('Completed');
      expect(page.url()).toBe(address);
      expect(await stateOf(page, 'transcription')).toBe('completed');
    },
  );
});

killable.describe('what may be asked for once more just as it goes away', () => {
  // Its being cancelled is told to the page, too, which reads it again for the list: in a hurry after it is deleted.
  killable.use({ allowed: [/status of 404/] });

  killable(
    'LIB-03 LIB-04: deleting one that is being worked on asks to cancel it first; cancelled it is gone, and its file stays',
    async ({ console: page, account, server }) => {
      await beginTranscription(page, server.url, account, 'cancelled.wav');
      await history(page).getByRole('button', { name: 'Delete cancelled.wav' }).click();
      await expect(page.getByRole('alertdialog')).toContainText('It will be cancelled and deleted; the file stays.');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Keep it' }).click();
      await expect(history(page).getByRole('listitem').first()).toContainText('cancelled.wav');

      await history(page).getByRole('button', { name: 'Delete cancelled.wav' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel and delete' }).click();
      await patiently(page.getByText('Success! Transcription was deleted.')).toBeVisible();
      await patiently(page).toHaveURL(/\/speech-to-text\/\?mode=async/);
      await expect(page.getByRole('list', { name: 'Files' }).getByText('cancelled.wav')).toBeVisible();
      expect(await stateOf(page, 'transcription')).toBeUndefined();
      expect(await statusOf(server.url, account, 'cancelled.wav')).toBeUndefined();
    },
  );
});
