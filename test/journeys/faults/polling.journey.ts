import { availableParallelism } from 'node:os';
import type { Page } from '@playwright/test';
import * as v from 'valibot';
import { FilePage } from '#contract/files.ts';
import { ModelList } from '#contract/models.ts';
import { TranscriptionPage } from '#contract/transcriptions.ts';
import { DEMO_EMAIL, DEMO_PASSWORD, expect, SERVER_AWAY, signOut } from '../fixtures.ts';
import { clip, expectSpoken, spoken } from '../playground.ts';
import { ConsoleServer } from '../server.ts';
import { type DemoAccount, demoAccount } from '../account.ts';
import { killable, openPlayground, patiently, prepare, stateOf, test } from './faults.ts';
import { repeated } from './recordings.ts';

/** Long enough to be under way for some seconds. */
const TIMES = 8;
const CLIP = 'two-sentences.wav';
const EXPECTED = Array<string>(TIMES).fill(spoken(CLIP)).join(' ');

const transcript = (page: Page) => page.getByRole('region', { name: 'Transcript text' });
const history = (page: Page) => page.getByRole('list', { name: 'Transcriptions' });
const unreachable = (page: Page) =>
  page.getByRole('alert').filter({
    hasText: /^(The server cannot be reached|The state of the transcription could not be read)\. Trying again soon\./,
  });

/** Status of the newest transcription of that name, as the server has it; undefined where there is none. */
async function statusOf(url: string, { credential }: DemoAccount, name: string): Promise<string | undefined> {
  const answer = await fetch(`${url}/v1/transcriptions?limit=50`, { headers: { authorization: credential } });
  return v.parse(TranscriptionPage, await answer.json()).transcriptions.find(({ filename }) => filename === name)
    ?.status;
}

/** Asks for the text of the newest file, without a browser. */
async function transcribeNewest(url: string, { credential }: DemoAccount): Promise<void> {
  const headers = { authorization: credential, 'content-type': 'application/json' };
  const { files } = v.parse(FilePage, await (await fetch(`${url}/v1/files?limit=1`, { headers })).json());
  const { models } = v.parse(ModelList, await (await fetch(`${url}/v1/models`, { headers })).json());
  const model = models.find(
    ({ transcription_mode, aliased_model_id }) => transcription_mode === 'async' && aliased_model_id === null,
  );
  const answer = await fetch(`${url}/v1/transcriptions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: model?.id, file_id: files[0]?.id }),
  });
  expect(answer.status).toBe(201);
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

killable.describe('without a server or a network', () => {
  killable.use({
    // By itself a list of two would be taken for a value and its options.
    allowed: [[SERVER_AWAY, /^Failed to load resource: the server responded with a status of 503/], { scope: 'test' }],
  });

  for (const [signal, what] of [
    ['SIGKILL', 'dies'],
    ['SIGTERM', 'is stopped'],
  ] as const) {
    killable(
      `ASY-09: a server that ${what} while it works is told, and after its return the text comes by itself`,
      async ({ console: page, account, server }) => {
        killable.setTimeout(150_000);
        const name = `${signal}.wav`;
        await beginTranscription(page, server.url, account, name);
        const address = page.url();
        await server.stop(signal);
        await patiently(unreachable(page)).toBeVisible();
        await expect(page.getByText(new RegExp(`^Transcription ${signal}\\.wav is \\w+\\.$`))).toBeVisible();
        expect(await stateOf(page, 'transcription')).toMatchObject({
          polling: expect.stringMatching(/unreachable|checking/),
        });

        await server.start();
        // The model is loaded and the recording begun anew, on cores that other tests use too.
        await expectSpoken(transcript(page), EXPECTED, 80_000);
        await expect(unreachable(page)).toBeHidden();
        await expect(history(page).getByRole('listitem').first()).toContainText('Completed');
        expect(page.url()).toBe(address);
        expect(await stateOf(page, 'transcription')).toBe('completed');
      },
    );
  }

  killable(
    'ASY-09: a network that goes away for a while delays the text and no more',
    async ({ console: page, context, account, server }) => {
      await beginTranscription(page, server.url, account, 'offline.wav');
      await context.setOffline(true);
      await patiently(unreachable(page)).toBeVisible();
      // Asked for while there is no network: with one, it may go on by itself before it is pressed.
      const asked = page.waitForRequest(/\/transcriptions\/[^/]+$/);
      await page.getByRole('button', { name: 'Retry now' }).click();
      await asked;
      await patiently(unreachable(page)).toBeVisible();
      await context.setOffline(false);
      await expectSpoken(transcript(page), EXPECTED);
    },
  );
});

killable.describe('with a look that is on its way as the session ends', () => {
  killable.use({ allowed: [/status of 401/] });

  killable(
    'SES-08: signing out while it is transcribed ends the polling, not the work',
    async ({ console: page, account, server }) => {
      await beginTranscription(page, server.url, account, 'left.wav');
      const from = new URL(page.url());
      await signOut(page);
      await patiently(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
      expect(await stateOf(page, 'transcription')).toBeUndefined();
      await page.goto(from.pathname + from.search);
      await patiently(page).toHaveURL(/\/signin\/\?from=/);
      await page.getByLabel('E-mail').fill(DEMO_EMAIL);
      await page.getByLabel('Password', { exact: true }).fill(DEMO_PASSWORD);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expectSpoken(transcript(page), EXPECTED);
      expect(new URL(page.url()).pathname).toBe(from.pathname);
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

test.describe('with a server of its own', () => {
  // The page looks for it when it is gone.
  test.use({
    allowed: [SERVER_AWAY],
  });

  test('LIB-03 LIB-04: deleting the open one while it waits its turn ends the polling and leads back', async ({
    page,
  }) => {
    // A server of its own, since it is left with work for minutes.
    const server = await ConsoleServer.launch();
    try {
      const account = await demoAccount(server.url);
      await prepare(page, account.tokens);
      const before = { ...account, playground: server.url + account.playground };
      await beginTranscription(page, server.url, before, 'first.wav');
      // As many as could be worked on at once.
      await Promise.all(Array.from({ length: availableParallelism() }, () => transcribeNewest(server.url, account)));
      await page.getByRole('button', { name: 'Remove' }).click();
      await page.getByLabel('Choose file').setInputFiles(clip(CLIP));
      await patiently(page).toHaveURL(/\/new\/[\w-]+\/\?mode=async/);
      await page.getByRole('button', { name: 'Transcribe file' }).click();
      await patiently(page.getByText(`Transcription ${CLIP} is queued.`)).toBeVisible();
      await history(page)
        .getByRole('button', { name: `Delete ${CLIP}` })
        .click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await patiently(page.getByText('Success! Transcription was deleted.')).toBeVisible();
      await patiently(page).toHaveURL(/\/speech-to-text\/\?mode=async/);
      expect(await stateOf(page, 'transcription')).toBeUndefined();
      expect(await statusOf(server.url, account, CLIP)).toBeUndefined();
    } finally {
      await server.dispose();
    }
  });
});
