import type { Request } from '@playwright/test';
import * as v from 'valibot';
import type { AnyMachineSnapshot } from 'xstate';
import { FilePage } from '#contract/files.ts';
import { CallError } from '#machines/shared/failure.ts';
import { transcriptionMachine } from '#machines/playground/transcription/machine.ts';
import {
  CANCELLED,
  failureText,
  hasText,
  NO_DATA,
  NO_TEXT,
  NOT_CANCELLED,
  statusText,
} from '#machines/playground/transcription/texts.ts';
import { transcription } from '#test/machines/playground-fixtures.ts';
import { doneBy, failedBy, walk, type WalkOptions } from '../model.ts';
import { unwalkedByAll } from '../unwalked.ts';
import { covering } from './covering.ts';
import { PausedCalls } from './pausedCalls.ts';
import { stopClock } from '#test/journeys/fixtures.ts';
import {
  chartOf,
  expect,
  perform,
  requireComplete,
  show,
  test,
  titled,
  type Executors,
  type Executor,
  type Performance,
  type ConsolePage,
  useConsolePage,
} from './consolePage.ts';

const ID = '5f0b7c1e-9d0f-4c5e-8f61-1f5f3a2b7c9d';
/** ASY-09. */
const POLL_MS = 3000;
const OFFLINE = new CallError({ kind: 'FETCH_ERROR', message: 'offline' });
const GONE = new CallError({ kind: 'HTTP', status: 404, message: 'There is no such transcription.' });
const CANCELLED_ONE = transcription({
  id: ID,
  status: 'error',
  filename: 'talk.wav',
  error_type: 'cancelled',
  error_message: 'The transcription was cancelled.',
});
const answers = ['a status of tomorrow', 'completed', 'error'].map((status) =>
  transcription({
    id: ID,
    status,
    filename: 'talk.wav',
    error_message: status === 'error' ? 'There is no sound in it.' : null,
  }),
);

const options: Omit<WalkOptions, 'input'> = {
  cases: {
    'xstate.done.actor.createTranscription': answers.map((answer) => doneBy('createTranscription', answer)),
    'xstate.error.actor.createTranscription': [
      failedBy(
        'createTranscription',
        new CallError({ kind: 'HTTP', status: 400, message: 'The context is too long.' }),
      ),
    ],
    'xstate.done.actor.fetchTranscription': answers.map((answer) => doneBy('fetchTranscription', answer)),
    'xstate.error.actor.fetchTranscription': [
      failedBy('fetchTranscription', OFFLINE),
      failedBy('fetchTranscription', GONE),
    ],
    'xstate.done.actor.fetchTranscript': [
      doneBy('fetchTranscript', {
        id: ID,
        text: 'Good morning.',
        tokens: [
          { text: 'Good', start_ms: 0, end_ms: 400 },
          { text: ' morning.', start_ms: 400, end_ms: 900 },
        ],
      }),
      doneBy('fetchTranscript', { id: ID, text: '', tokens: [] }),
    ],
    'xstate.error.actor.fetchTranscript': [failedBy('fetchTranscript', GONE)],
    // Pushes tell only of what the server has; a journey and the walks of the chart alone have it.
    'transcription.read': [],
    'xstate.done.actor.cancelTranscription': [doneBy('cancelTranscription', CANCELLED_ONE)],
    'xstate.error.actor.cancelTranscription': [404, 409, 500].map((status) =>
      failedBy('cancelTranscription', new CallError({ kind: 'HTTP', status, message: 'It cannot be stopped.' })),
    ),
  },
  // What decides whether a failed one can be read again.
  distinguish: ({ context }) => [
    context.transcription?.status === 'error',
    context.failure !== null,
    context.transcription !== null,
  ],
};

const created = walk(transcriptionMachine, {
  ...options,
  input: { create: { model: 'the first', file_id: 'the stored one' } },
});
const opened = walk(transcriptionMachine, { ...options, input: { id: ID } });
const creations = covering(created);
// Once there is an answer both go the same ways: of the second only its beginnings are walked again.
const openings = covering({ ...opened, paths: opened.paths.filter(({ steps }) => steps.length <= 3) });

const held = new PausedCalls(actorOf);
const CHART = ['workspace', 'playground', 'async', 'transcription'];
const fixture = useConsolePage();
let storedId: string;

function actorOf(request: Request): string | null {
  const path = new URL(request.url()).pathname;
  if (path === '/v1/transcriptions' && request.method() === 'POST') return 'createTranscription';
  if (path === `/v1/transcriptions/${ID}/cancel`) return 'cancelTranscription';
  if (path === `/v1/transcriptions/${ID}`) return 'fetchTranscription';
  return path === `/v1/transcriptions/${ID}/transcript` ? 'fetchTranscript' : null;
}

test.beforeAll(async () => {
  const { page, ask } = fixture();
  storedId = v.parse(FilePage, await ask('files?limit=1')).files[0]?.id ?? '';
  await held.stand(page);
  await page.clock.install();
});

function performance(
  { page, playground }: ConsolePage,
  begin: () => Promise<void>,
): Performance<typeof transcriptionMachine> {
  const done =
    (name: string): Executor =>
    ({ output }) =>
      held.answer(name, 'file_id' in output ? { ...output, file_id: storedId } : output);
  const failed =
    (name: string): Executor =>
    ({ error }) =>
      held.fail(name, error);
  /** ASY-09: not a moment sooner. */
  const interval: Executor = async () => {
    await page.clock.runFor(POLL_MS - 1);
    expect(held.isHeld('fetchTranscription')).toBe(false);
    await page.clock.runFor(1);
    await held.of('fetchTranscription');
  };

  const executors: Executors<typeof transcriptionMachine> = {
    'xstate.init': async () => {
      held.forget();
      await page.clock.resume();
      await begin();
    },
    'xstate.done.actor.createTranscription': done('createTranscription'),
    'xstate.error.actor.createTranscription': failed('createTranscription'),
    'xstate.done.actor.fetchTranscription': done('fetchTranscription'),
    'xstate.error.actor.fetchTranscription': failed('fetchTranscription'),
    'xstate.done.actor.fetchTranscript': done('fetchTranscript'),
    'xstate.error.actor.fetchTranscript': failed('fetchTranscript'),
    'xstate.after.pollInterval.transcription.polling.waiting': interval,
    'xstate.after.pollInterval.transcription.polling.unreachable': interval,
    'xstate.done.actor.cancelTranscription': done('cancelTranscription'),
    'xstate.error.actor.cancelTranscription': failed('cancelTranscription'),
    'cancel.requested': () => page.getByRole('button', { name: 'Cancel transcription' }).click(),
    'retry.requested': () => page.getByRole('button', { name: /^Retry( now)?$/ }).click(),
  };

  const alert = page.getByRole('main').getByRole('alert');
  const progress = (text: string) => expect(page.getByRole('status').filter({ hasText: text })).toBeVisible();
  const transcribe = page.getByRole('button', { name: 'Transcribe file' });
  const retry = (name: string) => page.getByRole('button', { name, exact: true });

  /** ASY-03: its address, and the history with it on top. */
  async function isOpen({ context: { start, transcription: answer } }: AnyMachineSnapshot) {
    if (!answer || !('create' in start)) return;
    await expect(page).toHaveURL(new RegExp(`${playground}/${ID}/\\?mode=async$`));
    await expect(page.getByRole('button', { name: 'History' })).toHaveAttribute('aria-expanded', 'true');
    await expect(page.getByRole('list', { name: 'Transcriptions' }).getByRole('listitem').first()).toContainText(
      answer.filename,
    );
  }

  return {
    executors,
    chart: () => chartOf(page, CHART),
    expectations: {
      creating: async () => {
        await progress('Starting the transcription…');
        await expect(page.getByRole('button', { name: 'Transcribing…' })).toBeVisible();
        const sent: unknown = (await held.of('createTranscription')).request().postDataJSON();
        expect(sent).toMatchObject({ file_id: storedId, model: expect.stringMatching(/./) });
      },
      refused: async ({ context }) => {
        await expect(alert).toContainText(context.failure.message);
        // No failure of the server (CON-22).
        await expect(alert).not.toContainText('request-of-the-path');
        await expect(transcribe).toBeEnabled();
        await expect(page).toHaveURL(new RegExp(`/new/${storedId}/`));
      },
      'polling.checking': async (snapshot) => {
        await progress(statusText(snapshot.context) ?? 'Loading the transcription…');
        // What could not be cancelled says why, and goes on.
        await expect(alert).toHaveCount(snapshot.context.refusal ? 1 : 0);
        if (snapshot.context.refusal) await expect(alert).toContainText(NOT_CANCELLED);
        await held.of('fetchTranscription');
      },
      'polling.waiting': async (snapshot) => {
        await progress(`Transcription talk.wav is ${snapshot.context.transcription.status}.`);
        await isOpen(snapshot);
      },
      'polling.unreachable': async (snapshot) => {
        // Only where no answer came it is said to be away (CON-15).
        await expect(alert).toContainText(
          snapshot.context.failure?.kind === 'FETCH_ERROR'
            ? 'The server cannot be reached. Trying again soon.'
            : 'The state of the transcription could not be read. Trying again soon.',
        );
        await expect(retry('Retry now')).toBeEnabled();
      },
      cancelling: async () => {
        const button = page.getByRole('button', { name: 'Cancelling…' });
        await expect(button).toBeDisabled();
        await expect(button).toBeFocused();
        await held.of('cancelTranscription');
      },
      cancelled: async () => {
        await expect(page.getByText(CANCELLED)).toBeVisible();
        await expect(alert).toHaveCount(0);
        await expect(page.getByRole('button', { name: 'Cancel transcription' })).toHaveCount(0);
        // Its button has gone with the focus on it.
        const around = page.getByRole('group', { name: 'Transcription', exact: true });
        await expect(around).toBeFocused();
        await expect(around).toHaveAccessibleDescription(CANCELLED);
      },
      fetchingTranscript: async (snapshot) => {
        await progress('Loading the transcript…');
        await isOpen(snapshot);
        await held.of('fetchTranscript');
      },
      completed: async (snapshot) => {
        if (hasText(snapshot.context))
          await expect(page.getByRole('region', { name: 'Transcript text' })).toContainText('Good morning.');
        else await expect(page.getByText(NO_TEXT)).toBeVisible();
        await isOpen(snapshot);
      },
      failed: async (snapshot) => {
        const byServer = snapshot.context.transcription?.status === 'error';
        await expect(alert).toContainText(byServer ? 'Transcription failed. There is no sound in it.' : NO_DATA);
        expect(failureText(snapshot.context)).toBe(
          byServer ? 'Transcription failed. There is no sound in it.' : NO_DATA,
        );
        await expect(retry('Retry')).toHaveCount(snapshot.context.failure ? 1 : 0);
        await isOpen(snapshot);
      },
    },
  };
}

/** A file on show and the button pressed; from then on only the path moves time. */
function create(fixture: ConsolePage): Performance<typeof transcriptionMachine> {
  const { page, playground } = fixture;
  return performance(fixture, async () => {
    await show(page, `${playground}/new/${storedId}/?mode=async`, CHART);
    await expect(page.getByRole('button', { name: 'Transcribe file' })).toBeEnabled();
    await stopClock(fixture.page);
    await page.getByRole('button', { name: 'Transcribe file' }).click();
  });
}

function open(fixture: ConsolePage): Performance<typeof transcriptionMachine> {
  const { page, playground } = fixture;
  return performance(fixture, async () => {
    await show(page, `${playground}/${ID}/?mode=async`, CHART);
    await held.of('fetchTranscription');
    await stopClock(page);
  });
}

requireComplete(transcriptionMachine, [...creations, ...openings], create);

test.describe('ASY-03 ASY-09 ASY-10: a transcription that is created', () => {
  for (const [title, path] of titled(creations)) {
    test(title, async () => {
      await perform(created.retrace(path), create(fixture()));
    });
  }
});

test.describe('ASY-02 ASY-09 ASY-10: a transcription that is opened', () => {
  for (const [title, path] of titled(openings)) {
    test(title, async () => {
      await perform(opened.retrace(path), open(fixture()));
    });
  }
});

test('every transition of the transcription is walked', () => {
  expect(unwalkedByAll([created.unwalked(creations), opened.unwalked(openings)])).toEqual([
    'transcription.polling —transcription.read if isNews→ transcription.polling.deciding',
  ]);
});
