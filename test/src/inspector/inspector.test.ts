import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { assign, createActor, fromPromise, setup } from 'xstate';
import { inspectInto } from '#src/effects/inspect/inspect.ts';
import { HOSTED_ORIGIN, sendToHosted } from '#src/effects/inspect/inspectHosted.ts';
import { HISTORY_MAX, sendToLocal } from '#src/effects/inspect/inspectLocal.ts';
import { readWish } from '#src/effects/inspect/wish.ts';
import { createWebStorage } from '#src/effects/browser/webStorage.ts';
import { passToHosted } from '#src/inspector/hosted.ts';
import {
  actorTrees,
  type Branch,
  clear,
  differenceText,
  filterBy,
  pause,
  resume,
  ROWS_MAX,
  select,
  showEnded,
  showInternals,
  shownRows,
  stateText,
} from '#src/inspector/model.ts';
import { type Channel, CONNECTED, type InspectionMessage, isInspectionMessage } from '#src/inspector/protocol.ts';
import { createStore, type Store } from '#src/inspector/store.ts';
import { MemoryStorage } from '../fake-storage.ts';

/** The pages of one origin: what one posts, the others hear, as copies. */
function origin() {
  const ends = new Set<EventTarget>();
  return (): Channel => {
    const end = new EventTarget();
    ends.add(end);
    return Object.assign(end, {
      postMessage: (data: unknown) => {
        const copy: unknown = structuredClone(data);
        for (const other of ends)
          if (other !== end) other.dispatchEvent(Object.assign(new Event('message'), { data: copy }));
      },
      close: () => void ends.delete(end),
    }) as Channel;
  };
}

class Refused extends Error {
  override readonly name = 'Refused';
  readonly authorization = 'hidden-header';
}

const childMachine = setup({}).createMachine({ id: 'child', initial: 'waiting', states: { waiting: {} } });
const machine = setup({
  types: {} as {
    context: { access: string; count: number; failed: unknown };
    events: { type: 'more.requested'; password: string };
  },
  actors: {
    child: childMachine,
    answer: fromPromise<{ refresh: string }, { api_key: string }>(() => Promise.resolve({ refresh: 'hidden-refresh' })),
    refusal: fromPromise(() => Promise.reject(new Refused('Bearer hidden-bearer is no good'))),
  },
}).createMachine({
  id: 'console',
  context: { access: 'hidden-access', count: 0, failed: null },
  invoke: [
    { id: 'library', src: 'child' },
    { id: 'answer', src: 'answer', input: { api_key: 'hidden-key' }, onDone: {}, onError: {} },
    { id: 'refusal', src: 'refusal', onError: { actions: assign({ failed: ({ event }) => event.error }) } },
  ],
  initial: 'signedIn',
  states: { signedIn: { initial: 'refresh', states: { refresh: { tags: 'busy' } } } },
  on: { 'more.requested': { actions: assign({ count: ({ context }) => context.count + 1 }) } },
});

/** A console that is inspected; everything of it was sent once `sent` has its last event. */
function inspected(open = origin(), consoleId = 'c1') {
  const sent: unknown[] = [];
  open().addEventListener('message', ({ data }: MessageEvent<unknown>) => sent.push(data));
  const inspection = inspectInto(sendToLocal(open(), consoleId));
  const openPage = () => createStore(open(), (run) => run());
  const root = createActor(machine, { inspect: inspection.observe });
  onTestFinished(() => void root.stop());
  const settle = async () => {
    await expect.poll(() => JSON.stringify(sent)).toContain('xstate.error.actor.refusal');
    await expect.poll(() => JSON.stringify(sent)).toContain('xstate.done.actor.answer');
  };
  return { root, openPage, inspection, sent, settle, open };
}

/** A console with one actor, told by hand what happens. */
function oneActor() {
  const open = origin();
  const port = sendToLocal(open(), 'c1');
  const base = { sessionId: 'x:0', rootId: 'x:0', createdAt: '0', id: '', _version: '0.7.2' };
  const none = { parentId: undefined, definition: undefined };
  port.send({ ...base, ...none, type: '@xstate.actor', name: 'a', snapshot: { status: 'active', value: 'first' } });
  const happen = (type: string) => port.send({ ...base, type: '@xstate.event', event: { type }, sourceId: undefined });
  const goTo = (value: string) =>
    port.send({ ...base, type: '@xstate.snapshot', event: { type: 'went' }, snapshot: { status: 'active', value } });
  return { open, happen, goTo };
}

const outline = (branches: Branch[]): unknown[] =>
  branches.map(({ actor, children }) => [
    actor.name,
    stateText(actor.snapshot.value),
    actor.snapshot.status,
    ...(children.length > 0 ? [outline(children)] : []),
  ]);
const titles = (page: Store) =>
  shownRows(showInternals(page.current(), true))
    .map(({ title }) => title)
    .toReversed();

describe('the inspector', () => {
  it('speaks the protocol of @statelyai/inspect, without secrets', async () => {
    const { root, sent, settle } = inspected();
    root.start();
    root.send({ type: 'more.requested', password: 'hidden-password' });
    await settle();
    expect(sent.every(isInspectionMessage)).toBe(true);
    const messages = sent.filter(isInspectionMessage);
    expect(new Set(messages.map(({ type }) => type))).toEqual(
      new Set(['@xstate.actor', '@xstate.event', '@xstate.snapshot']),
    );
    expect(
      messages.every(({ _version, rootId }) => /^\d+\.\d+\.\d+$/.test(_version) && rootId === `c1/${root.sessionId}`),
    ).toBe(true);
    const chart = messages.find((message) => message.type === '@xstate.actor' && message.name === 'console');
    expect(JSON.parse(chart?.type === '@xstate.actor' ? (chart.definition ?? '') : '')).toMatchObject({
      id: 'console',
      states: { signedIn: {} },
    });
    const asked = messages.find(
      (message) => message.type === '@xstate.event' && message.event.type === 'more.requested',
    );
    expect(asked).toMatchObject({ sessionId: `c1/${root.sessionId}`, event: { password: '[redacted]' } });
    const answered = messages.find(
      (message) => message.type === '@xstate.event' && message.event.type === 'xstate.done.actor.answer',
    );
    expect(answered).toMatchObject({
      sourceId: expect.stringMatching(/^c1\/x:/),
      event: { output: { refresh: '[redacted]' } },
    });
    expect(JSON.stringify(sent)).not.toContain('hidden');
  });

  it('shows the tree of actors with their states and what they hold, errors readable', async () => {
    const { root, openPage, settle } = inspected();
    const page = openPage();
    root.start();
    await settle();
    const [library, answer, refusal] = [
      ['library', 'waiting', 'active'],
      ['answer', '', 'done'],
      ['refusal', '', 'error'],
    ];
    const trees = () => actorTrees(page.current());
    expect(outline(trees())).toEqual([['console', 'signedIn.refresh', 'active', [library, refusal]]]);
    page.update((model) => showEnded(model, true));
    expect(outline(trees())).toEqual([['console', 'signedIn.refresh', 'active', [library, answer, refusal]]]);
    const [tree] = trees();
    expect(tree?.actor.snapshot).toMatchObject({
      value: { signedIn: 'refresh' },
      tags: ['busy'],
      context: {
        access: '[redacted]',
        failed: { name: 'Refused', message: 'Bearer [redacted] is no good', authorization: '[redacted]' },
      },
    });
    expect(tree?.children[1]?.actor.snapshot).toMatchObject({ output: { refresh: '[redacted]' } });
  });

  it('brings a page that is opened late up to date, and never doubles what another one shows', async () => {
    const { root, openPage, settle } = inspected();
    const first = openPage();
    root.start();
    root.send({ type: 'more.requested', password: '' });
    await settle();
    const before = titles(first);
    expect(before).toEqual(expect.arrayContaining(['more.requested', 'signedIn.refresh', 'waiting']));
    const late = openPage();
    expect(titles(late)).toEqual(before);
    expect(titles(first)).toEqual(before);
    expect(outline(actorTrees(late.current()))).toEqual(outline(actorTrees(first.current())));
    first.update(clear);
    openPage();
    expect(titles(first)).toEqual([]);
  });

  it('tells a late page what was before, also where something happens as it opens', () => {
    const { open, happen } = oneActor();
    happen('before');
    const channel = open();
    const connect = channel.postMessage.bind(channel);
    const late = Object.assign(channel, {
      postMessage: (data: unknown) => {
        happen('meanwhile');
        connect(data);
      },
    });
    const page = createStore(late, (run) => run());
    happen('after');
    expect(titles(page)).toEqual(['before', 'meanwhile', 'after']);
  });

  it('repeats a bounded history, the actors as they are', () => {
    const { open, happen, goTo } = oneActor();
    goTo('second');
    for (let i = 0; i < HISTORY_MAX + 100; i += 1) happen(`e${i}`);
    const page = createStore(open(), (run) => run());
    expect(outline(actorTrees(page.current()))).toEqual([['a', 'second', 'active']]);
    expect(titles(page)).toHaveLength(HISTORY_MAX);
    expect(titles(page).at(-1)).toBe(`e${HISTORY_MAX + 99}`);
    expect(ROWS_MAX).toBeLessThan(HISTORY_MAX);
  });

  it('pauses without losing anything, lists one actor alone, finds a text, and clears', async () => {
    const { root, openPage, settle } = inspected();
    const page = openPage();
    root.start();
    await settle();
    const before = titles(page);
    page.update(pause);
    root.send({ type: 'more.requested', password: '' });
    await expect.poll(() => page.current().waiting.length).toBeGreaterThan(0);
    expect(titles(page)).toEqual(before);
    page.update(resume);
    await expect.poll(() => titles(page)).toEqual([...before, 'more.requested']);
    const library = actorTrees(page.current())[0]?.children[0]?.actor.id ?? '';
    page.update((model) => filterBy(select(model, library), { actorId: library }));
    expect(titles(page)).toEqual(['xstate.init', 'waiting']);
    page.update((model) => filterBy(model, { actorId: null, text: ' MORE.' }));
    expect(titles(page)).toEqual(['more.requested']);
    page.update((model) => filterBy(model, { text: '-more' }));
    expect(titles(page)).toEqual(before);
    page.update((model) => filterBy(model, { text: 'refused' }));
    expect(titles(page)).toContain('xstate.error.actor.refusal');
    page.update((model) => clear(filterBy(model, { text: '' })));
    expect(titles(page)).toEqual([]);
  });

  it('INS-01: an inspector that asks is told at once what a console had no idle moment to tell', () => {
    const { root, openPage } = inspected();
    root.start();
    const page = openPage();
    expect(outline(actorTrees(page.current()))[0]).toEqual(expect.arrayContaining(['console', 'signedIn.refresh']));
  });

  it('INS-02: an event has the time at which it happened, however late it is told', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { root, openPage } = inspected();
    vi.setSystemTime(5000);
    root.start();
    vi.setSystemTime(5012);
    root.send({ type: 'more.requested', password: '' });
    vi.setSystemTime(9000);
    const rows = shownRows(openPage().current());
    const asked = rows.find(({ title }) => title === 'more.requested');
    expect(asked?.at.getTime()).toBe(5012);
    expect(differenceText(new Date(5012), new Date(5000))).toBe('+12 ms');
    expect([1200, 180_500].map((ms) => differenceText(new Date(ms), new Date(0)))).toEqual(['+1.20 s', '+3 min']);
  });

  it('INS-03: hides the events of XState itself, but for failures, until they are asked for', async () => {
    const { root, openPage, settle } = inspected();
    const page = openPage();
    root.start();
    await settle();
    const shown = () => shownRows(page.current()).map(({ title }) => title);
    expect(shown().filter((title) => title.startsWith('xstate.'))).toEqual(['xstate.error.actor.refusal']);
    page.update((model) => showInternals(model, true));
    expect(shown()).toEqual(expect.arrayContaining(['xstate.init', 'xstate.done.actor.answer']));
  });

  it('INS-04: a tab that was asked to be inspected remembers it, until it is told not to', () => {
    const session = new MemoryStorage();
    const storage = createWebStorage(() => session);
    const wishAt = (query: string) => readWish(new URL(`https://c.example/${query}`), storage, 'p');
    expect(wishAt('')).toBeUndefined();
    expect(wishAt('?inspect=stately')).toEqual({ where: 'stately', isRemembered: false });
    expect(wishAt('')).toBeUndefined();
    expect(wishAt('?inspect')).toEqual({ where: 'local', isRemembered: false });
    expect(wishAt('org/1/')).toEqual({ where: 'local', isRemembered: true });
    expect(wishAt('?inspect=off')).toBeUndefined();
    expect(wishAt('org/1/')).toBeUndefined();
  });

  it('tells consoles apart and forgets the actors of one that is gone', async () => {
    const open = origin();
    const [one, two] = [inspected(open, 'c1'), inspected(open, 'c2')];
    const page = one.openPage();
    one.root.start();
    two.root.start();
    await expect.poll(() => actorTrees(page.current()).map(({ actor }) => actor.name)).toEqual(['console', 'console']);
    one.inspection.stop();
    expect(actorTrees(page.current()).map(({ actor }) => actor.id)).toEqual([`c2/${two.root.sessionId}`]);
    expect(() => one.root.send({ type: 'more.requested', password: '' })).not.toThrow();
  });
});

/** A page that opens a window of another origin, and that window. */
function otherWindow() {
  const received: [unknown, unknown][] = [];
  const target = { postMessage: (data: unknown, to: unknown) => void received.push([structuredClone(data), to]) };
  const opened: unknown[] = [];
  const page = Object.assign(new EventTarget(), {
    open: (url?: unknown) => {
      opened.push(url);
      // Of a window only this is used.
      return target as unknown as Window;
    },
  });
  const say = (data: unknown, from: { origin?: string; source?: unknown } = {}) =>
    page.dispatchEvent(Object.assign(new Event('message'), { data, origin: HOSTED_ORIGIN, source: target, ...from }));
  return { page, received, opened, say };
}

const typesOf = (received: [unknown, unknown][]) =>
  received.map(([data]) => (isInspectionMessage(data) ? data.type : data));

it('tells the other events of a batch if one cannot be told', async () => {
  const report = vi.fn();
  vi.stubGlobal('reportError', report);
  onTestFinished(() => void vi.unstubAllGlobals());
  const sent: InspectionMessage[] = [];
  let isBroken = true;
  const inspection = inspectInto({
    send: (message) => {
      sent.push(message);
      if (!isBroken) return;
      isBroken = false;
      throw new Error('It cannot be copied.');
    },
    stop: () => undefined,
  });
  const root = createActor(childMachine, { inspect: inspection.observe }).start();
  onTestFinished(() => void root.stop());
  await expect.poll(() => sent.map(({ type }) => type)).toContain('@xstate.snapshot');
  expect(report).toHaveBeenCalledOnce();
});

describe('the hosted inspector', () => {
  it('is told what happened so far once it answers, at its own origin alone', async () => {
    const { page, received, opened, say } = otherWindow();
    const sent: InspectionMessage[] = [];
    const port = sendToHosted(page);
    const inspection = inspectInto({
      ...port,
      send: (message) => {
        sent.push(message);
        port.send(message);
      },
    });
    const root = createActor(machine, { inspect: inspection.observe }).start();
    onTestFinished(() => void root.stop());
    root.send({ type: 'more.requested', password: 'hidden-password' });
    await expect.poll(() => JSON.stringify(sent)).toContain('xstate.error.actor.refusal');
    say({ type: CONNECTED }, { origin: 'https://evil.example' });
    say({ type: CONNECTED }, { source: {} });
    say({ type: 'other' });
    expect(received).toEqual([]);
    say({ type: CONNECTED });
    expect(opened).toEqual([`${HOSTED_ORIGIN}/inspect`]);
    expect(received.length).toBe(sent.length);
    expect(received.every(([, to]) => to === HOSTED_ORIGIN)).toBe(true);
    expect(JSON.stringify(received)).not.toContain('hidden');
  });

  it('can be opened from the page of our own, and is told each thing once', async () => {
    const { root, open, openPage, settle } = inspected();
    root.start();
    await settle();
    const { page, received, say } = otherWindow();
    let connected = 0;
    passToHosted(page, open(), () => {
      connected += 1;
    });
    expect([connected, received.length]).toEqual([0, 0]);
    say({ type: CONNECTED });
    expect(connected).toBe(1);
    expect(typesOf(received)).toEqual(expect.arrayContaining(['@xstate.actor', '@xstate.event', '@xstate.snapshot']));
    const count = received.length;
    openPage();
    expect(received.length).toBe(count);
    root.send({ type: 'more.requested', password: 'hidden-password' });
    await expect.poll(() => received.length).toBe(count + 2);
    expect(JSON.stringify(received)).not.toContain('hidden');
  });
});
