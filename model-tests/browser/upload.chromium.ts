import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v from 'valibot';
import { FilePage, UPLOAD_MAX_BYTES } from '#contract/files.ts';
import { STALL_MS, UPLOAD_FAILED, uploadMachine } from '#machines/playground/upload/machine.ts';
import { walk } from '../model.ts';
import { covering } from './covering.ts';
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
import { UploadGate } from './uploadGate.ts';

/** More than the buffers between page and server hold: what is not read does not count as sent. */
const SENDABLE_BYTES = 32 * 1_048_576;
const FILES = {
  empty: { name: 'empty.wav', size: 0, type: 'audio/wav' },
  sendable: { name: 'talk.wav', size: SENDABLE_BYTES, type: 'audio/wav' },
  tooLarge: { name: 'week.wav', size: UPLOAD_MAX_BYTES + 1, type: 'audio/wav' },
};
const STORED = {
  filename: FILES.sendable.name,
  size: SENDABLE_BYTES,
  created_at: '2026-11-21T04:00:00.000Z',
  client_reference_id: null,
};
const chosen = (file: keyof typeof FILES) => ({ type: 'file.chosen', file: FILES[file] });
const OFFLINE = 'offline';
/** The limit of a standstill, as the chart names it. */
const STALL = 'xstate.after.stallLimit.upload.uploading.moving';

const walked = walk(uploadMachine, {
  input: { projectUuid: 'the one of the page', maxUploadBytes: UPLOAD_MAX_BYTES },
  cases: {
    'file.chosen': [chosen('empty'), chosen('sendable'), chosen('tooLarge')],
    'drop.questioned': [],
    'upload.progressed': [{ type: 'upload.progressed', sentBytes: SENDABLE_BYTES, totalBytes: SENDABLE_BYTES }],
    'upload.succeeded': [{ type: 'upload.succeeded', file: { id: 'the stored one', ...STORED } }],
    'upload.failed': [
      { type: 'upload.failed', failure: { message: 'This is no recording.', kind: 'HTTP', status: 400 } },
      { type: 'upload.failed', failure: { message: OFFLINE, kind: 'FETCH_ERROR' } },
    ],
    'xstate.error.actor.uploadFile': [],
  },
  // An empty file fails for good, another one can be tried again.
  distinguish: ({ context }) => context.file?.size,
});

const paths = covering(walked);

/** Declared transitions that neither a user nor a network can cause. */
const EXCEPTIONS = {
  'upload —drop.questioned→ (stays)':
    'Changes no state; test/journeys/upload.journey.ts drops a folder, and several files.',
  'upload.uploading —xstate.error.actor.uploadFile→ upload.failed':
    'The effect tells every failure as `upload.failed`; only a defect in it ends here.',
};

const CHART = ['workspace', 'playground', 'async', 'upload'];
const fixture = useConsolePage();
let gate: UploadGate;
let folder: string;
let storedId: string;

test.beforeAll(async () => {
  const { page, ask } = fixture();
  gate = await UploadGate.open();
  await gate.stand(page);
  folder = mkdtempSync(join(tmpdir(), 'parlance-uploads-'));
  for (const { name, size } of Object.values(FILES)) {
    // Sparse: the size is what counts.
    writeFileSync(join(folder, name), '');
    truncateSync(join(folder, name), size);
  }
  storedId = v.parse(FilePage, await ask('files?limit=1')).files[0]?.id ?? '';
});

test.afterAll(async () => {
  await gate.close();
  rmSync(folder, { recursive: true });
});

/** With a clock of its own where a path waits for a standstill; elsewhere dialogs come and go with the browser's. */
function performance({ page, playground }: ConsolePage, waits = false): Performance<typeof uploadMachine> {
  const dialog = page.getByRole('dialog');
  const button =
    (name: string): Executor =>
    () =>
      dialog.getByRole('button', { name }).click();

  const executors: Executors<typeof uploadMachine> = {
    'xstate.init': async () => {
      if (waits) await page.clock.install();
      await show(page, `${playground}/?mode=async`, CHART);
      gate.forget();
    },
    'file.chosen': async ({ file }, before) => {
      const path = join(folder, file.name);
      // Where a file is on show there is no picker, but dropping another one works; a picker that is open already stays so behind a dialog.
      if (before?.matches('done')) await drop(path);
      else await page.getByLabel('Choose file').setInputFiles(path);
    },
    'upload.progressed': () => gate.read(),
    'upload.succeeded': () => gate.answer(201, { id: storedId, ...STORED }),
    'upload.failed': ({ failure }) =>
      failure.kind === 'FETCH_ERROR'
        ? gate.drop()
        : gate.answer(failure.status ?? 500, {
            status_code: failure.status,
            error_type: 'invalid_request',
            message: failure.message,
            validation_errors: [],
            request_id: 'r1',
          }),
    // The gate reads nothing by itself: the connection stands still.
    [STALL]: async () => {
      await page.clock.runFor(STALL_MS);
      await gate.aborted();
    },
    'cancel.requested': async () => {
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await gate.aborted();
    },
    'retry.requested': button('Retry'),
    'dismiss.requested': button('Close'),
  };

  async function drop(path: string) {
    const input = await page.evaluateHandle(() => Object.assign(document.createElement('input'), { type: 'file' }));
    await input.setInputFiles(path);
    const dataTransfer = await input.evaluateHandle(({ files }) => {
      const transfer = new DataTransfer();
      for (const file of files ?? []) transfer.items.add(file);
      return transfer;
    });
    await page.getByRole('complementary', { name: 'Transcription' }).dispatchEvent('drop', { dataTransfer });
  }

  return {
    executors,
    chart: () => chartOf(page, CHART),
    expectations: {
      idle: async () => {
        await expect(dialog).toBeHidden();
        await expect(page.getByLabel('Choose file')).toBeEnabled();
      },
      uploading: async ({ context }) => {
        await expect(dialog).toHaveAccessibleName('Uploading file');
        await expect(dialog).toContainText(FILES.sendable.name);
        await expect(dialog.getByText(context.percent === 100 ? 'Waiting for the server…' : 'Sending…')).toBeVisible();
        if (context.percent === 100) await expect(dialog).toContainText('100 %');
        // The gate has it from here on.
        await gate.current();
      },
      failed: async ({ context: { file, failure } }) => {
        await expect(dialog).toHaveAccessibleName(UPLOAD_FAILED);
        await expect(dialog).toContainText(file.name);
        const alert = dialog.getByRole('alert');
        await expect(alert).toContainText(failure.message === OFFLINE ? /went wrong/ : failure.message);
        await expect(dialog.getByRole('button', { name: 'Close' })).toBeVisible();
        await expect(dialog.getByRole('button', { name: 'Retry' })).toHaveCount(
          file.name === FILES.sendable.name ? 1 : 0,
        );
      },
      done: async () => {
        await expect(dialog).toBeHidden();
        await expect(page).toHaveURL(new RegExp(`${playground}/new/${storedId}/\\?mode=async`));
      },
    },
  };
}

requireComplete(uploadMachine, paths, performance);

test.describe('UPL-01 UPL-02 UPL-03: an upload', () => {
  for (const [title, path] of titled(paths)) {
    test(title, async () => {
      await perform(
        walked.retrace(path),
        performance(
          fixture(),
          path.steps.some(({ event }) => event.type === STALL),
        ),
      );
    });
  }
});

test('every transition of the upload is walked, but those that cannot be caused', () => {
  expect(walked.unwalked(paths)).toEqual(Object.keys(EXCEPTIONS));
});
