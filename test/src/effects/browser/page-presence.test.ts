import { describe, expect, it, vi } from 'vitest';
import { createPagePresence } from '#src/effects/browser/pagePresence.ts';
import { createSignal } from '#src/effects/browser/signal.ts';
import { noted } from '../../noted.ts';

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
    missed.notify();
    stop();
    focus();
    missed.notify();
    expect(types()).toEqual(['page.present', 'page.focused', 'place.missed']);
    expect(forgets.mock.calls.map(([name]) => name).toSorted()).toEqual(
      listens.mock.calls.map(([name]) => name).toSorted(),
    );
  });
});
