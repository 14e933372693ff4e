import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fromCallback, type EventObject } from 'xstate';
import { eventsMachine } from '#machines/workspace/events/machine.ts';
import { createPagePresence } from '#src/effects/browser/pagePresence.ts';
import { createSignal } from '#src/effects/browser/signal.ts';
import { underParent } from '../machines/playground-fixtures.ts';
import { answeringServer, refusal } from './answering-server.ts';
import { apisAt } from './apis.ts';
import { noted } from './noted.ts';

/** A page that the test shows, hides and takes offline. */
function page() {
  const window = new EventTarget();
  const document = Object.assign(new EventTarget(), { visibilityState: 'visible' as DocumentVisibilityState });
  const navigator = { onLine: true };
  const listens = vi.spyOn(window, 'addEventListener');
  const forgets = vi.spyOn(window, 'removeEventListener');
  const show = (state: DocumentVisibilityState) => {
    document.visibilityState = state;
    document.dispatchEvent(new Event('visibilitychange'));
  };
  const connect = (onLine: boolean) => {
    navigator.onLine = onLine;
    window.dispatchEvent(new Event(onLine ? 'online' : 'offline'));
  };
  // An event target knows no names of events.
  return {
    port: { window, document, navigator } as unknown as Parameters<typeof createPagePresence>[1],
    show,
    connect,
    focus: () => window.dispatchEvent(new Event('focus')),
    listens,
    forgets,
  };
}

function presence(from = page()) {
  const missed = createSignal();
  return { ...from, missed, ...noted(createPagePresence(missed, from.port)) };
}

describe('whether somebody may be looking', () => {
  it('CON-05: is told at once, and on every change: while the page shows and is online', () => {
    const { types, show, connect } = presence();
    show('hidden');
    connect(false);
    show('visible');
    connect(true);
    connect(true);
    connect(false);
    expect(types()).toEqual(['page.present', 'page.absent', 'page.present', 'page.absent']);
  });

  it('CON-05: a page that begins hidden is absent until it shows', () => {
    const from = page();
    from.show('hidden');
    const { types, show } = presence(from);
    expect(types()).toEqual([]);
    show('visible');
    expect(types()).toEqual(['page.present']);
  });

  it('CON-04: the focus is told, and that a place was missed; nothing after the end', () => {
    const { types, focus, missed, stop, listens, forgets } = presence();
    focus();
    missed.tell();
    stop();
    focus();
    missed.tell();
    expect(types()).toEqual(['page.present', 'page.focused', 'place.missed']);
    expect(forgets.mock.calls.map(([name]) => name).toSorted()).toEqual(
      listens.mock.calls.map(([name]) => name).toSorted(),
    );
  });
});

describe('CON-04: a call that finds its place gone has the memberships read again', () => {
  const PROJECT = '3f2b8a10-6f1c-4f0e-9a57-0d6b2f4f7a11';

  /** Both APIs and the chart of the events, put together as the console does. */
  async function wired(status: number, { signedIn = true } = {}) {
    const { origin } = await answeringServer(() => ({ status, body: refusal('Not found.', { status_code: status }) }));
    const missed = createSignal();
    const apis = apisAt(origin, {
      signedIn,
      path: `/org/o1/projects/${PROJECT}/`,
      onMissing: () => missed.tell(),
    });
    const silent = fromCallback<EventObject, void>(() => undefined);
    const { told, stop } = underParent(
      eventsMachine.provide({ actors: { pagePresence: createPagePresence(missed, page().port), eventStream: silent } }),
      undefined,
    );
    onTestFinished(stop);
    const outdated = () => told.filter(({ type }) => type === 'memberships.outdated').length;
    return { ...apis, outdated };
  }

  it.each([
    [404, 1],
    [400, 0],
    [500, 0],
  ])('answered %i by the main API', async (status, times) => {
    const { main, outdated } = await wired(status);
    await expect(main.apiKeys(PROJECT)).rejects.toThrow('Not found.');
    expect(outdated()).toBe(times);
  });

  it('answered 404 by the speech API, which calls in the name of a project', async () => {
    const { speech, outdated } = await wired(404);
    await expect(speech.models()).rejects.toThrow('Not found.');
    expect(outdated()).toBe(1);
  });

  it('but not for who is not signed in', async () => {
    const { main, outdated } = await wired(404, { signedIn: false });
    await expect(main.apiKeys(PROJECT)).rejects.toThrow('Not found.');
    expect(outdated()).toBe(0);
  });
});
