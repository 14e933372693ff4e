/** Everything that the answer to a call of the playground can be, besides right, one after the other on one page. */
import type { Locator, Page } from '@playwright/test';
import * as v from 'valibot';
import { TOKEN_STORAGE_KEY } from '#contract/session.ts';
import { FilePage } from '#contract/files.ts';
import { FILE_FAILED } from '#machines/playground/machine.ts';
import { REMOVAL_TOASTS } from '#machines/playground/removal/texts.ts';
import { CANCELLED, NO_DATA, NOT_CANCELLED } from '#machines/playground/transcription/texts.ts';
import { transcription } from '#test/machines/playground-fixtures.ts';
import type { DemoAccount } from '../account.ts';
import { expect } from '../fixtures.ts';
import { clip } from '../playground.ts';
import { type Call, FakeAnswers, type Fault, FAULTS, KINDS, refusing, WRONG_SHAPE } from './fakeAnswers.ts';
import { expectMicrophoneReleased, type Named, patiently, rootState, stateOf, test } from './faults.ts';

// What the browser itself says about answers that are none.
test.use({ permissions: ['microphone'], allowed: [/^Failed to load resource: /] });

const ID = '5f0b7c1e-9d0f-4c5e-8f61-1f5f3a2b7c9d';
const NAME = 'weather-report.wav';
const DONE = transcription({ id: ID, status: 'completed', filename: 'talk.wav', file_id: null });
const GOOD: Partial<Record<Call, unknown>> = {
  transcriptions: { transcriptions: [DONE], next_page_cursor: null },
  createTranscription: DONE,
  transcription: DONE,
  deleteTranscription: {},
  transcript: {
    id: ID,
    text: 'Good morning.',
    tokens: [
      { text: 'Good', start_ms: 0, end_ms: 400 },
      { text: ' morning.', start_ms: 400, end_ms: 900 },
    ],
  },
};

/** Of a chart; of one with regions, those that count. */
type Value = string | Record<string, unknown>;

type Place = { page: Page; fileId: string };

/** One call: where it is made, what is seen when it fails, while it is silent, and once it has gone well. */
type Row = {
  call: Call;
  /** Below the playground's own address. */
  path?: (place: Place) => string;
  mode?: 'real-time';
  /** Good answers to other calls that differ from those of all rows. */
  beside?: Partial<Record<Call, unknown>>;
  /** Makes the call, where opening the page does not. */
  make?: (place: Place) => Promise<void>;
  /** Makes it once more after it has failed; else as the first time. */
  again?: (place: Place) => Promise<void>;
  /** Where the failure is told; a call without tells it otherwise, see `told`. */
  alert?: (place: Place) => Locator;
  headline?: string | ((fault: Fault) => string);
  /** Whether the text of the fault itself is shown. */
  isQuoted?: boolean | ((fault: Fault) => boolean);
  told?: (place: Place, fault: Fault) => Promise<void>;
  chart?: readonly [Named, Value | ((fault: Fault) => Value)];
  faults?: readonly Fault[];
  silent: (place: Place) => Locator;
  well: (place: Place) => Locator;
  /** After all: nothing is left behind. */
  after?: (place: Place) => Promise<void>;
};

const history = (page: Page) => page.getByRole('list', { name: 'Transcriptions' });
const main = ({ page }: Place) => page.getByRole('tabpanel').getByRole('alert');
const press =
  (name: string | RegExp) =>
  ({ page }: Place) =>
    page.getByRole('button', { name, exact: true }).click();
const isPassing = ({ status }: Fault) => status === null || status >= 500;
const waitingFor = ({ status }: Fault) =>
  status === null
    ? 'The server cannot be reached. Trying again soon.'
    : 'The state of the transcription could not be read. Trying again soon.';
const text = ({ page }: Place) => page.getByRole('region', { name: 'Transcript text' }).getByText('morning.');
const ROWS: readonly Row[] = [
  {
    call: 'transcriptions',
    path: () => '?panel=history',
    again: press('Retry'),
    alert: ({ page }) => page.getByRole('complementary').getByRole('alert'),
    headline: 'Error loading files...',
    isQuoted: true,
    chart: ['transcriptions', 'failed'],
    silent: ({ page }) => page.getByRole('complementary').locator('[aria-busy=true]'),
    well: ({ page }) => history(page).getByText('talk.wav'),
  },
  {
    call: 'fileUrl',
    path: ({ fileId }) => `new/${fileId}/`,
    again: press('Reload'),
    alert: main,
    headline: FILE_FAILED,
    chart: ['playground', { ready: { file: 'failed' } }],
    silent: ({ page }) => page.getByLabel('Loading the file'),
    well: ({ page }) => page.getByRole('group', { name: `Recording ${NAME}` }),
  },
  {
    call: 'createTranscription',
    path: ({ fileId }) => `new/${fileId}/`,
    make: press('Transcribe file'),
    alert: ({ page }) => page.getByRole('complementary').getByRole('alert'),
    isQuoted: true,
    chart: ['transcription', 'refused'],
    silent: ({ page }) => page.getByText('Starting the transcription…'),
    well: text,
  },
  {
    call: 'transcription',
    path: () => `${ID}/`,
    // What a list tells of it would do as well.
    beside: { transcriptions: { transcriptions: [], next_page_cursor: null } },
    again: press(/^Retry( now)?$/),
    alert: main,
    headline: (fault) => (isPassing(fault) ? waitingFor(fault) : NO_DATA),
    isQuoted: isPassing,
    chart: ['transcription', (fault: Fault) => (isPassing(fault) ? { polling: 'unreachable' } : 'failed')],
    faults: FAULTS,
    silent: ({ page }) => page.getByText('Loading the transcription…'),
    well: text,
  },
  {
    call: 'cancelTranscription',
    path: () => `${ID}/`,
    beside: {
      transcriptions: { transcriptions: [], next_page_cursor: null },
      transcription: { ...DONE, status: 'processing' },
      cancelTranscription: { ...DONE, status: 'error', error_type: 'cancelled' },
    },
    make: press('Cancel transcription'),
    alert: main,
    headline: NOT_CANCELLED,
    isQuoted: true,
    silent: ({ page }) => page.getByRole('button', { name: 'Cancelling…' }),
    well: ({ page }) => page.getByText(CANCELLED),
    // Its button has gone with the focus on it (FAI-03).
    after: ({ page }) => expect(page.getByRole('group', { name: 'Transcription', exact: true })).toBeFocused(),
  },
  {
    call: 'transcript',
    path: () => `${ID}/`,
    again: press('Retry'),
    alert: main,
    headline: NO_DATA,
    chart: ['transcription', 'failed'],
    silent: ({ page }) => page.getByText('Loading the transcript…'),
    well: text,
  },
  {
    call: 'deleteTranscription',
    path: () => '?panel=history',
    make: async ({ page }) => {
      await history(page).getByRole('button', { name: 'Delete talk.wav' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    },
    // It stays, with the reason (LIB-03).
    told: async ({ page }, fault) => {
      const toast = page.getByText(`${REMOVAL_TOASTS.transcription.error} ${fault.text}`);
      await patiently(toast).toBeVisible();
      await expect(history(page).getByText('talk.wav')).toBeVisible();
      await page.getByRole('button', { name: 'Dismiss' }).click();
      await expect(toast).toBeHidden();
      expect(await stateOf(page, 'removal')).toBe('idle');
    },
    // Whatever a deletion that went well says, it went well.
    faults: KINDS.filter((fault) => fault !== WRONG_SHAPE),
    // The row goes at once.
    silent: ({ page }) => page.getByText('You have no transcriptions.'),
    well: ({ page }) => page.getByText(REMOVAL_TOASTS.transcription.success),
  },
  {
    call: 'temporaryKey',
    mode: 'real-time',
    make: press('Run'),
    alert: main,
    isQuoted: true,
    chart: ['live', { session: 'stopped', record: 'empty', playback: 'rewound' }],
    silent: ({ page }) => page.getByRole('status').filter({ hasText: 'Starting…' }),
    well: ({ page }) => page.getByRole('status').filter({ hasText: 'Running' }),
    after: async (place) => {
      await press('Stop')(place);
      await patiently(place.page.getByRole('status').filter({ hasText: 'Stopped' })).toBeVisible();
      await expectMicrophoneReleased(place.page, KINDS.length + 1);
    },
  },
];

const addressOf = (
  { path = () => '', mode = 'async' as const }: Pick<Row, 'path'> & { mode?: 'async' | 'real-time' | undefined },
  place: Place,
) => {
  const [below = '', query] = path(place).split('?');
  return { below, query: `?mode=${mode}${query ? `&${query}` : ''}` };
};

async function expectTold(row: Row, place: Place, fault: Fault): Promise<void> {
  await row.told?.(place, fault);
  const alert = row.alert?.(place);
  if (alert) {
    const headline = typeof row.headline === 'function' ? row.headline(fault) : row.headline;
    const isQuoted = typeof row.isQuoted === 'function' ? row.isQuoted(fault) : row.isQuoted;
    await (fault.requestId
      ? patiently(alert).toContainText(`Request ${fault.requestId}`)
      : patiently(alert).not.toContainText('Request '));
    if (headline) await expect(alert).toContainText(headline);
    if (isQuoted) await expect(alert).toContainText(fault.text);
  }
  if (row.chart) {
    const [name, value] = row.chart;
    await patiently
      .poll(async () => ({ value: await stateOf(place.page, name) }))
      .toMatchObject({ value: typeof value === 'function' ? value(fault) : value });
  }
}

async function firstFile(url: string, credential: string): Promise<string> {
  const answer = await fetch(`${url}/v1/files?limit=50`, { headers: { authorization: credential } });
  return v.parse(FilePage, await answer.json()).files.find(({ filename }) => filename === NAME)?.id ?? '';
}

/** Opens the row's place and makes its call go wrong in every way, then never answer, then go well. */
async function walk(row: Row, place: Place, account: DemoAccount): Promise<void> {
  const { page } = place;
  const answers = await FakeAnswers.stand(page, { ...GOOD, ...row.beside });
  const make = row.make ?? (async () => {});
  const { below, query } = addressOf(row, place);
  let next = async () => {
    await page.goto(`${account.playground}${below}${query}&inspect`);
    await make(place);
    next = () => (row.again ?? make)(place);
  };
  for (const fault of row.faults ?? KINDS) {
    await test.step(`${row.call}: ${fault.name}`, async () => {
      answers.set(row.call, fault);
      await next();
      await expectTold(row, place, fault);
    });
  }
  await test.step(`${row.call}: never answering, until it does`, async () => {
    answers.set(row.call, 'silence');
    await next();
    await patiently(row.silent(place)).toBeVisible();
    answers.right();
    await patiently(row.well(place)).toBeVisible();
    await row.after?.(place);
  });
  expect(await rootState(page)).toContain('"signedIn"');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}

const CHANGES: readonly Call[] = ['createTranscription', 'cancelTranscription', 'deleteTranscription', 'temporaryKey'];
const isState = ({ call }: Row) => call === 'transcription';
const isChange = ({ call }: Row) => CHANGES.includes(call);

// Of lists, files and uploads other journeys tell more: async, upload.
for (const [what, rows] of [
  ['the state of a transcription @gate', ROWS.filter(isState)],
  ['what else is read', ROWS.filter((row) => !isChange(row) && !isState(row))],
  ['what is begun, cancelled or deleted', ROWS.filter(isChange)],
] as const) {
  test(`ERR-01 ERR-02 ERR-06 API-05 CON-15 CON-22 LIB-03 FAI-03: an answer that is wrong in any way is told, loses nothing, and goes well the next time: ${what}`, async ({
    console: page,
    account,
    server,
  }) => {
    const place = { page, fileId: await firstFile(server.url, account.credential) };
    for (const row of rows) await walk(row, place, account);
  });
}

// Calls differ in how they are made: by fetch, as an upload, for a session with the microphone.
for (const [call, status, query, make] of [
  ['files', 403, '?mode=async', () => {}],
  ['upload', 401, '?mode=async', (page) => page.getByLabel('Choose file').setInputFiles(clip('short.wav'))],
  ['temporaryKey', 403, '?mode=real-time', (page) => page.getByRole('button', { name: 'Run', exact: true }).click()],
] as const satisfies readonly [Call, number, string, (page: Page) => unknown][]) {
  test(`SES-06 SES-07: ${call} answered ${status} ends the session and keeps the way back${call === 'files' ? ' @gate' : ''}`, async ({
    console: page,
    account,
  }) => {
    const answers = await FakeAnswers.stand(page, GOOD);
    answers.set(call, refusing(status));
    await page.goto(`${account.playground}${query}&inspect`);
    await make(page);
    await patiently(page).toHaveURL(/\/signin\/\?from=/);
    expect(new URL(page.url()).searchParams.get('from')).toContain(account.playground + query);
    expect(await page.evaluate((key) => localStorage.getItem(key), TOKEN_STORAGE_KEY)).toBeNull();
    expect(await rootState(page)).toContain('"account":"signedOut"');
    await expectMicrophoneReleased(page, call === 'temporaryKey' ? 1 : 0);
  });
}
