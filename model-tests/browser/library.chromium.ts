import type { Request } from '@playwright/test';
import type { AnyEventObject, AnyMachineSnapshot } from 'xstate';
import { CallError } from '#machines/shared/failure.ts';
import { ITSELF } from '#machines/shared/pagedList/machine.ts';
import { filesMachine, transcriptionsMachine } from '#machines/playground/lists.ts';
import { clip } from '#test/journeys/playground.ts';
import { doneBy, failedBy, isIn, walk } from '../model.ts';
import { covering } from './covering.ts';
import { PausedCalls } from './pausedCalls.ts';
import { LISTS, listItem } from './lists.ts';
import {
  chartOf,
  expect,
  perform,
  requireComplete,
  sendTo,
  show,
  test,
  titled,
  withoutExecutor,
  type Executors,
  type Executor,
  type Performance,
  type ConsolePage,
  useConsolePage,
} from './consolePage.ts';
import { recordings } from './pages/recordings.ts';

type List = (typeof LISTS)[number];

const [NEW, FIRST, SECOND, FURTHER] = ['short.wav', 'first.wav', 'second.wav', 'further.wav'];
const STUCK = new CallError({ kind: 'HTTP', status: 500, message: 'The list is stuck.' });
const OFFLINE = new CallError({ kind: 'FETCH_ERROR', message: 'offline' });

const holds = ({ context }: AnyMachineSnapshot, name: string) =>
  context.items.some((item: { id: string }) => item.id === listItem(name).id);
const lacks = ({ context }: AnyMachineSnapshot, name: string) =>
  context.removed.some(({ item }: { item: { id: string } }) => item.id === listItem(name).id);
/** The page places the focus before a person can go on. */
const isSettled = ({ context }: AnyMachineSnapshot) => context.focusId === null;
const when = (is: boolean, event: AnyEventObject) => (is ? [event] : []);

/** What the two lists are walked through. A list is longer only where a page of it says so. */
function walked({ kind }: List) {
  const item = (name: string) => listItem(name, kind);
  const page = (names: readonly string[], nextCursor: string | null) => ({ items: names.map(item), nextCursor });
  const machine = kind === 'file' ? filesMachine : transcriptionsMachine;
  const done = { ...listItem(FIRST, kind), ...(kind === 'file' ? {} : { status: 'completed' }) };
  return walk(machine, {
    cases: {
      'xstate.done.actor.firstPage': [
        doneBy('firstPage', page([], null)),
        doneBy('firstPage', page([FIRST], null)),
        doneBy('firstPage', page([FIRST, SECOND], 'the next')),
      ],
      'xstate.error.actor.firstPage': [failedBy('firstPage', STUCK)],
      'xstate.done.actor.nextPage': [doneBy('nextPage', page([FURTHER], null))],
      'xstate.error.actor.nextPage': [failedBy('nextPage', OFFLINE)],
      // Once the first page is there: before, the address would open something else than the list.
      'item.added': (snapshot) =>
        when(
          isSettled(snapshot) &&
            isIn(snapshot, 'ready') &&
            !isIn(snapshot, 'ready.loadingMore') &&
            !holds(snapshot, NEW),
          { type: 'item.added', item: item(NEW) },
        ),
      // A file never changes; a transcription is done after a while.
      'item.updated': (snapshot) =>
        when(
          kind === 'transcription' && isSettled(snapshot) && isIn(snapshot, 'ready.idle') && holds(snapshot, FIRST),
          { type: 'item.updated', item: done },
        ),
      // What other clients do, as the workspace passes it on.
      'item.arrived': (snapshot) =>
        when(isSettled(snapshot) && isIn(snapshot, 'ready.idle') && !holds(snapshot, NEW), {
          type: 'item.arrived',
          item: item(NEW),
        }),
      'item.gone': (snapshot) =>
        when(isSettled(snapshot) && isIn(snapshot, 'ready.idle') && holds(snapshot, FIRST), {
          type: 'item.gone',
          id: listItem(FIRST).id,
        }),
      'beginning.read': (snapshot) =>
        isSettled(snapshot)
          ? [page([FIRST], 'the next'), page([NEW], 'the next')].map((read) => ({ type: 'beginning.read', page: read }))
          : [],
      'item.removed': (snapshot) =>
        when(isSettled(snapshot) && holds(snapshot, FIRST), { type: 'item.removed', id: listItem(FIRST).id }),
      'item.restored': (snapshot) => when(lacks(snapshot, FIRST), { type: 'item.restored', id: listItem(FIRST).id }),
      'more.requested': (snapshot) => when(isSettled(snapshot), { type: 'more.requested' }),
      'retry.requested': (snapshot) => when(isSettled(snapshot), { type: 'retry.requested' }),
      'focus.placed': (snapshot) => when(!isSettled(snapshot), { type: 'focus.placed' }),
    },
    distinguish: ({ context }) => [
      context.items.map(({ id }: { id: string }) => id),
      context.nextCursor,
      context.focusId,
    ],
  });
}

/** Declared transitions that neither a user nor the server can cause. */
const EXCEPTIONS: Record<List['kind'], readonly string[]> = {
  // A file is what it was when it came.
  file: ['files —item.updated→ (stays)'],
  transcription: [],
};

let list: List = LISTS[0];
const held = new PausedCalls(callOf);
const fixture = useConsolePage();

function callOf(request: Request): string | null {
  const { pathname, searchParams } = new URL(request.url());
  if (request.method() === 'GET' && pathname === `/v1/${list.field}`)
    return searchParams.has('cursor') ? 'nextPage' : 'firstPage';
  return request.method() === 'DELETE' ? 'removeItem' : null;
}

test.beforeAll(async () => {
  const { page } = fixture();
  const [file, transcription] = [listItem(NEW, 'file'), { ...listItem(NEW, 'transcription'), status: 'completed' }];
  // What else the page asks on the way: it is never the server's own.
  await page.route('**/v1/files', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 201, json: file }) : route.fallback(),
  );
  await page.route(`**/v1/files/${file.id}`, (route) => route.fulfill({ json: file }));
  await page.route('**/v1/files/*/url', (route) => route.fulfill({ json: { url: '/clip.wav' } }));
  await page.route('**/clip.wav', (route) => route.fulfill({ path: clip(NEW) }));
  await page.route('**/v1/transcriptions', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 201, json: transcription }) : route.fallback(),
  );
  await page.route('**/v1/transcriptions/*', (route) =>
    route.fulfill({ json: { ...listItem(FIRST, 'transcription'), status: 'completed' } }),
  );
  await page.route('**/v1/transcriptions/*/transcript', (route) =>
    route.fulfill({ json: { id: transcription.id, text: '', tokens: [] } }),
  );
  await held.stand(page);
});

function performance({ page, playground }: ConsolePage, { kind, field }: List): Performance<typeof filesMachine> {
  const { box, remove, shows: showsNames } = recordings(page, kind);
  const rows = box.getByRole('listitem');
  const button = (name: string) => box.getByRole('button', { name, exact: true });
  const children = ['workspace', 'playground', field];
  const answered =
    (name: string): Executor =>
    ({ output }) =>
      held.answer(name, { [field]: output.items, next_page_cursor: output.nextCursor });
  const failed =
    (name: string): Executor =>
    ({ error }) =>
      held.fail(name, error);

  const executors: Executors<typeof filesMachine> = {
    'xstate.init': async () => {
      held.forget();
      // A transcription begins at its file.
      await show(
        page,
        kind === 'file'
          ? `${playground}/?mode=async`
          : `${playground}/new/${listItem(NEW).id}/?mode=async&panel=history`,
        children,
      );
    },
    'xstate.done.actor.firstPage': answered('firstPage'),
    'xstate.error.actor.firstPage': failed('firstPage'),
    'xstate.done.actor.nextPage': answered('nextPage'),
    'xstate.error.actor.nextPage': failed('nextPage'),
    'more.requested': async () => {
      await button('Load more').click();
      expect(new URL((await held.of('nextPage')).request().url()).searchParams.get('cursor')).toBe('the next');
    },
    'retry.requested': async () => {
      await button('Retry').press('Enter');
      await expect(button('Loading…')).toBeFocused();
    },
    'item.added': async () => {
      if (kind === 'file') {
        await page.getByLabel('Choose file').setInputFiles(clip(NEW));
        await expect(page.getByRole('main').getByText(NEW)).toBeVisible();
        await page.goBack();
      } else {
        await page.getByRole('button', { name: 'Transcribe file' }).click();
        await expect(page).toHaveURL(new RegExp(`/${listItem(NEW).id}/`));
        // And back to the list.
        await rows.getByRole('link', { name: NEW }).focus();
      }
    },
    'item.updated': async () => {
      await rows.getByRole('link', { name: FIRST }).click();
      await expect(rows.filter({ hasText: FIRST })).toContainText('Completed');
    },
    'item.removed': async () => {
      await remove(FIRST).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await held.of('removeItem');
    },
    'item.restored': async () => {
      await held.fail('removeItem', STUCK);
      await expect(
        page.getByText(`Error! Failed to delete ${kind}. ${STUCK.message}`, { exact: true }).last(),
      ).toBeVisible();
    },
    'item.arrived': (event) => sendTo(page, children, event),
    'item.gone': (event) => sendTo(page, children, event),
    'beginning.read': (event) => sendTo(page, children, event),
    // The page does so by itself as soon as the row is there.
    'focus.placed': (_event, before) => {
      const id: string = before?.context.focusId;
      return expect(id === ITSELF ? box : box.locator(`[data-row="${id}"]`).locator('a, button').first()).toBeFocused();
    },
  };

  const shows = ({ context }: AnyMachineSnapshot) =>
    showsNames(context.items.map(({ filename }: { filename: string }) => filename));
  const alert = box.getByRole('alert');

  return {
    executors,
    chart: () => chartOf(page, children),
    expectations: {
      loading: async (snapshot) => {
        await expect(box).toHaveAttribute('aria-busy', 'true');
        await held.of('firstPage');
        await shows(snapshot);
        await expect(alert).toHaveCount(0);
      },
      'ready.idle': async (snapshot) => {
        await shows(snapshot);
        await expect(box).toHaveAttribute('aria-busy', 'false');
        await expect(button('Load more')).toHaveCount(snapshot.context.nextCursor === null ? 0 : 1);
        await expect(alert).toHaveCount(0);
      },
      'ready.empty': () =>
        expect(box).toContainText(kind === 'file' ? 'No files in library.' : 'You have no transcriptions.'),
      'ready.loadingMore': async (snapshot) => {
        await shows(snapshot);
        await expect(button('Loading…')).toHaveAttribute('aria-disabled', 'true');
        await held.of('nextPage');
      },
      // What is there stays.
      failed: async (snapshot) => {
        await shows(snapshot);
        await expect(alert).toContainText('Error loading files...');
        await expect(button('Retry')).toBeEnabled();
      },
    },
  };
}

for (const each of LISTS) {
  const { paths: all, play, retrace, unwalked } = walked(each);
  const paths = covering({ paths: all, play });

  requireComplete(each.kind === 'file' ? filesMachine : transcriptionsMachine, paths, (on: ConsolePage) =>
    performance(on, each),
  );

  test.describe(`LIB-01 LIB-02 LIB-03: the list of ${each.field}`, () => {
    test.beforeEach(() => {
      list = each;
    });
    for (const [title, path] of titled(paths)) {
      test(title, async () => {
        await perform(retrace(path), performance(fixture(), each));
      });
    }
  });

  test(`every transition of the list of ${each.field} is walked, but those that cannot be caused`, () => {
    expect(unwalked(paths)).toEqual(EXCEPTIONS[each.kind]);
    expect(withoutExecutor(paths, performance(fixture(), each).executors)).toEqual([]);
  });
}
