import { describe, expect, it, onTestFinished } from 'vitest';
import { assign, createActor, fromPromise, setup } from 'xstate';
import { inspectOver } from '#src/effects/inspect.ts';
import { clear, pause, resume, select, shownEvents, stateText, treeRows } from '#src/inspector/model.ts';
import type { Channel } from '#src/inspector/protocol.ts';
import { createStore } from '#src/inspector/store.ts';

/** The pages of one origin: what one posts, the others hear, as copies. */
function origin() {
  const ends = new Set<EventTarget>();
  return (): Channel => {
    const end = new EventTarget();
    ends.add(end);
    return Object.assign(end, {
      postMessage: (data: unknown) => {
        const copy: unknown = structuredClone(data);
        for (const other of ends) if (other !== end) other.dispatchEvent(Object.assign(new Event('message'), { data: copy }));
      },
      close: () => void ends.delete(end),
    }) as Channel;
  };
}

const childMachine = setup({}).createMachine({ id: 'child', initial: 'waiting', states: { waiting: {} } });
const machine = setup({
  types: {} as { context: { access: string; count: number }; events: { type: 'more.requested'; password: string } },
  actors: { child: childMachine, answer: fromPromise(() => Promise.resolve({ refresh: 'hidden-refresh' })) },
}).createMachine({
  id: 'console',
  context: { access: 'hidden-access', count: 0 },
  invoke: [
    { id: 'library', src: 'child' },
    { id: 'answer', src: 'answer', onDone: {}, onError: {} },
  ],
  initial: 'signedIn',
  states: { signedIn: { initial: 'refresh', states: { refresh: {} } } },
  on: { 'more.requested': { actions: assign({ count: ({ context }) => context.count + 1 }) } },
});

function inspected() {
  const open = origin();
  const page = open();
  const sent: unknown[] = [];
  page.addEventListener('message', ({ data }: MessageEvent<unknown>) => sent.push(data));
  const inspection = inspectOver(open(), 'c1', () => 1000);
  const openPage = () => createStore(open(), (run) => run());
  const root = createActor(machine, { inspect: inspection.observe });
  onTestFinished(() => void root.stop());
  return { root, openPage, inspection, sent };
}

describe('the inspector', () => {
  it('shows the tree of actors with their states, and what they were told', async () => {
    const { root, openPage, sent } = inspected();
    const page = openPage();
    root.start();
    root.send({ type: 'more.requested', password: 'hidden-password' });
    await expect.poll(() => treeRows(page.current()).map(({ actor, depth }) => [actor.name, depth, stateText(actor.value), actor.status])).toEqual([
      ['console', 0, 'signedIn.refresh', 'active'],
      ['library', 1, 'waiting', 'active'],
      ['answer', 1, '', 'done'],
    ]);
    const shown = treeRows(page.current())[0]?.actor.data;
    expect(shown).toEqual({ context: { access: '[redacted]', count: 1 } });
    expect(shownEvents(page.current()).map(({ type }) => type)).toContain('more.requested');
    expect(JSON.stringify(sent)).not.toContain('hidden');
  });

  it('brings a page that is opened late up to date, and never doubles what another one shows', () => {
    const { root, openPage } = inspected();
    root.start();
    root.send({ type: 'more.requested', password: '' });
    const first = openPage();
    const count = first.current().events.length;
    expect(count).toBeGreaterThan(0);
    const second = openPage();
    expect([first.current().events.length, second.current().events.length]).toEqual([count, count]);
    expect(treeRows(second.current())).toHaveLength(3);
  });

  it('pauses without losing anything, lists one actor alone, and clears', () => {
    const { root, openPage } = inspected();
    root.start();
    const page = openPage();
    const before = page.current().events.length;
    page.update(pause);
    root.send({ type: 'more.requested', password: '' });
    expect(page.current().events).toHaveLength(before);
    page.update(resume);
    expect(page.current().events).toHaveLength(before + 1);
    const library = treeRows(page.current()).find(({ actor }) => actor.name === 'library')?.actor.id ?? null;
    page.update((model) => select(model, library));
    expect(shownEvents(page.current()).map(({ type }) => type)).toEqual(['xstate.init']);
    page.update(clear);
    expect(page.current().events).toEqual([]);
  });

  it('forgets the actors of a console that is gone', () => {
    const { root, openPage, inspection } = inspected();
    root.start();
    const page = openPage();
    expect(page.current().actors.size).toBe(3);
    inspection.stop();
    expect(page.current().actors.size).toBe(0);
  });
});
