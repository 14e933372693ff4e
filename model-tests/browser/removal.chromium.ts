import type { Request } from '@playwright/test';
import { CallError } from '#machines/shared/failure.ts';
import { removalMachine, type RemovalItem } from '#machines/playground/removal/machine.ts';
import { confirmLabel, removalEffect, REMOVAL_QUESTION, REMOVAL_TOASTS } from '#machines/playground/removal/texts.ts';
import { doneBy, failedBy, walk } from '../model.ts';
import { PausedCalls } from './pausedCalls.ts';
import { RUNNING, LISTS, listItem } from './lists.ts';
import {
  chartOf,
  expect,
  perform,
  requireComplete,
  show,
  test,
  titled,
  withoutExecutor,
  type Performance,
  type ConsolePage,
  useConsolePage,
} from './consolePage.ts';
import { recordings } from './pages/recordings.ts';

const NAMES = ['first.wav', 'second.wav', RUNNING];
const ITEMS: RemovalItem[] = [
  { kind: 'file', id: listItem('second.wav').id, name: 'second.wav' },
  { kind: 'transcription', id: listItem('second.wav').id, name: 'second.wav', isRunning: false },
  { kind: 'transcription', id: listItem(RUNNING).id, name: RUNNING, isRunning: true },
];
const refusals = (actor: string) => [
  ...[404, 409].map((status) => failedBy(actor, new CallError({ kind: 'HTTP', status, message: 'It is not so.' }))),
  failedBy(actor, new CallError({ kind: 'HTTP', status: 500, message: 'The list is stuck.' })),
];

const { paths, retrace, unwalked } = walk(removalMachine, {
  cases: {
    'removal.requested': ITEMS.map((item) => ({ type: 'removal.requested', item })),
    'xstate.done.actor.removeItem': [doneBy('removeItem')],
    'xstate.error.actor.removeItem': [
      ...refusals('removeItem'),
      failedBy('removeItem', new CallError({ kind: 'FETCH_ERROR', message: 'offline' })),
    ],
    'xstate.done.actor.cancelItem': [doneBy('cancelItem')],
    'xstate.error.actor.cancelItem': refusals('cancelItem'),
  },
  distinguish: ({ context }) => [context.item?.kind, context.item?.isRunning],
});

const held = new PausedCalls((request: Request) => {
  if (request.method() === 'DELETE') return 'removeItem';
  return request.url().endsWith('/cancel') ? 'cancelItem' : null;
});
const CHART = ['workspace', 'playground', 'removal'];
const fixture = useConsolePage();

test.beforeAll(async () => {
  const { page } = fixture();
  for (const { kind, field } of LISTS) {
    await page.route(`**/v1/${field}?*`, (route) =>
      route.fulfill({ json: { [field]: NAMES.map((name) => listItem(name, kind)), next_page_cursor: null } }),
    );
  }
  await held.stand(page);
});

function performance({ page, playground }: ConsolePage): Performance<typeof removalMachine> {
  const question = page.getByRole('alertdialog', { name: REMOVAL_QUESTION });
  const shows = (kind: RemovalItem['kind'], names: readonly string[]) => recordings(page, kind).shows(names);
  const deleting = ({ kind, name }: RemovalItem) => recordings(page, kind).remove(name);
  const toast = (text: string) => expect(page.getByText(text, { exact: true })).toBeVisible();
  /** A refusal's text, and its reason; the network's own stands for what no server said. */
  const refused = ({ kind }: RemovalItem, { failure }: CallError) =>
    expect(
      page.getByText(
        `${REMOVAL_TOASTS[kind].error} ${failure.kind === 'HTTP' ? failure.message : 'Something went wrong.'}`,
      ),
    ).toBeVisible();
  /** What an answer that is no success means: gone is deleted, begun is asked again, else it returns to its place. */
  const ended = async (item: RemovalItem, error: CallError) => {
    if (error.failure.status === 404) {
      await toast(REMOVAL_TOASTS[item.kind].success);
      return shows(item.kind, others(item));
    }
    await refused(item, error);
    await shows(item.kind, NAMES);
    await expect(recordings(page, item.kind).link(item.name)).toBeFocused();
  };
  const others = (item: RemovalItem) => NAMES.filter((name) => name !== item.name);

  return {
    chart: () => chartOf(page, CHART),
    executors: {
      'xstate.init': async () => {
        held.forget();
        await show(page, `${playground}/?mode=async&panel=history`, CHART);
      },
      'removal.requested': ({ item }) => deleting(item).click(),
      'removal.dismissed': async (_event, before) => {
        await question
          .getByRole('button', { name: before?.context.item.isRunning ? 'Keep it' : 'Cancel', exact: true })
          .click();
        await expect(deleting(before?.context.item)).toBeFocused();
      },
      'removal.confirmed': (_event, before) =>
        question.getByRole('button', { name: confirmLabel(before?.context.item), exact: true }).click(),
      'xstate.done.actor.removeItem': async (_event, before) => {
        const item: RemovalItem = before?.context.item;
        await held.answer('removeItem', {});
        await toast(REMOVAL_TOASTS[item.kind].success);
        await shows(item.kind, others(item));
      },
      'xstate.error.actor.removeItem': async ({ error }, before) => {
        const item: RemovalItem = before?.context.item;
        await held.fail('removeItem', error);
        const hasBegun = error.failure.status === 409 && item.kind === 'transcription' && !item.isRunning;
        if (hasBegun) return shows(item.kind, NAMES);
        return ended(item, error);
      },
      'xstate.done.actor.cancelItem': async (_event, before) => {
        const { id } = before?.context.item ?? {};
        await held.answer('cancelItem', {
          ...listItem(RUNNING, 'transcription'),
          id,
          status: 'error',
          error_type: 'cancelled',
        });
      },
      'xstate.error.actor.cancelItem': async ({ error }, before) => {
        await held.fail('cancelItem', error);
        if (error.failure.status !== 409) await ended(before?.context.item, error);
      },
    },
    expectations: {
      idle: async ({ context }) => {
        await expect(question).toBeHidden();
        if (context.latest === null) for (const { kind } of LISTS) await shows(kind, NAMES);
      },
      confirming: async ({ context: { item } }) => {
        await expect(question).toContainText(item.name);
        await expect(question).toContainText(removalEffect(item));
        await shows(item.kind, NAMES);
      },
      cancelling: async ({ context: { item } }) => {
        await expect(question).toBeHidden();
        await shows(item.kind, others(item));
        expect(new URL((await held.of('cancelItem')).request().url()).pathname).toBe(
          `/v1/transcriptions/${item.id}/cancel`,
        );
      },
      // Gone before the server agrees, and nothing else with it.
      removing: async ({ context: { item } }) => {
        await expect(question).toBeHidden();
        await shows(item.kind, others(item));
        const request = (await held.of('removeItem')).request();
        expect(new URL(request.url()).pathname).toBe(`/v1/${item.kind}s/${item.id}`);
      },
    },
  };
}

requireComplete(removalMachine, paths, performance);

test.describe('LIB-03 FAI-04: a removal', () => {
  for (const [title, path] of titled(paths)) {
    test(title || 'begins', async () => {
      await perform(retrace(path), performance(fixture()));
    });
  }
});

test('every transition of the removal is walked', () => {
  expect(unwalked()).toEqual([]);
  expect(withoutExecutor(paths, performance(fixture()).executors)).toEqual([]);
});
