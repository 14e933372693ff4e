import type { Request } from '@playwright/test';
import { CallError } from '#machines/failure.ts';
import { removalMachine, type RemovalItem } from '#machines/removal/machine.ts';
import { REMOVAL_QUESTION, REMOVAL_TOASTS } from '#machines/removal/texts.ts';
import { doneBy, failedBy, walk } from '../model.ts';
import { HeldCalls } from './held.ts';
import { SHELVES, stock } from './shelves.ts';
import { chartOf, expect, perform, show, test, titled, withoutExecutor, type Performance, type Stage, useStage } from './stage.ts';

const NAMES = ['first.wav', 'second.wav', 'third.wav'];
const ITEMS: Record<RemovalItem['kind'], RemovalItem> = {
  file: { kind: 'file', id: stock('second.wav').id, name: 'second.wav' },
  transcription: { kind: 'transcription', id: stock('second.wav').id, name: 'second.wav' },
};

const { paths, retrace, unwalked } = walk(removalMachine, {
  cases: {
    'removal.requested': Object.values(ITEMS).map((item) => ({ type: 'removal.requested', item })),
    'xstate.done.actor.removeItem': [doneBy('removeItem')],
    'xstate.error.actor.removeItem': [failedBy('removeItem', new CallError({ kind: 'HTTP', status: 500, message: 'The shelf is stuck.' })), failedBy('removeItem', new CallError({ kind: 'FETCH_ERROR', message: 'offline' }))],
  },
  distinguish: ({ context }) => context.item?.kind,
});

const held = new HeldCalls((request: Request) => (request.method() === 'DELETE' ? 'removeItem' : null));
const CHART = ['workspace', 'playground', 'removal'];
const stage = useStage();

test.beforeAll(async () => {
  const { page } = stage();
  for (const { kind, field } of SHELVES) {
    await page.route(`**/v1/${field}?*`, (route) => route.fulfill({ json: { [field]: NAMES.map((name) => stock(name, kind)), next_page_cursor: null } }));
  }
  await held.stand(page);
});

function performance({ page, playground }: Stage): Performance {
  const question = page.getByRole('alertdialog', { name: REMOVAL_QUESTION });
  const listOf = (kind: RemovalItem['kind']) => page.getByRole('list', { name: kind === 'file' ? 'Files' : 'Transcriptions' });
  // Also behind the question, which takes its role away.
  const shows = async (kind: RemovalItem['kind'], names: readonly string[]) => {
    await expect(page.locator(`[data-rows=${kind === 'file' ? 'Files' : 'Transcriptions'}] li`)).toHaveText(names.map((name) => new RegExp(name.replace('.', '\\.'))));
  };
  const deleting = ({ kind, name }: RemovalItem) => listOf(kind).getByRole('button', { name: `Delete ${name}`, exact: true });
  const toast = (text: string) => expect(page.getByText(text, { exact: true })).toBeVisible();
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
        await question.getByRole('button', { name: 'Cancel' }).click();
        await expect(deleting(before?.context.item)).toBeFocused();
      },
      'removal.confirmed': () => question.getByRole('button', { name: 'Delete' }).click(),
      'xstate.done.actor.removeItem': async (_event, before) => {
        const item: RemovalItem = before?.context.item;
        await held.answer('removeItem', {});
        await toast(REMOVAL_TOASTS[item.kind].success);
        await shows(item.kind, others(item));
      },
      // It returns to its place.
      'xstate.error.actor.removeItem': async ({ error }, before) => {
        const item: RemovalItem = before?.context.item;
        await held.fail('removeItem', error);
        await toast(REMOVAL_TOASTS[item.kind].error);
        await shows(item.kind, NAMES);
        await expect(listOf(item.kind).getByRole('link', { name: item.name })).toBeFocused();
      },
    },
    sights: {
      idle: async ({ context }) => {
        await expect(question).toBeHidden();
        if (context.latest === null) for (const { kind } of SHELVES) await shows(kind, NAMES);
      },
      confirming: async ({ context: { item } }) => {
        await expect(question).toContainText(item.name);
        await expect(question).toContainText(item.kind === 'file' ? 'The file is deleted' : 'The transcription and its text are deleted');
        await shows(item.kind, NAMES);
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

test.describe('LIB-03: a removal', () => {
  for (const [title, path] of titled(paths)) {
    test(title || 'begins', async () => {
      await perform(retrace(path), performance(stage()));
    });
  }
});

test('every transition of the removal is walked', () => {
  expect(unwalked()).toEqual([]);
  expect(withoutExecutor(paths, performance(stage()).executors)).toEqual([]);
});
