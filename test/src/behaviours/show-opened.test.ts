import { describe, expect, it, vi } from 'vitest';
import { showOpened } from '../../../src/behaviours/showOpened.ts';
import { stubMutations } from '../mutations.ts';

/** An item that is shown at a place of the window, opened from a list or not. */
function opened({ top, fromList = true, isStill = false }: { top: number; fromList?: boolean; isStill?: boolean }) {
  const mutations = stubMutations();
  const place = { top };
  const active = { closest: () => (fromList ? {} : null) };
  const area = {
    ownerDocument: {
      activeElement: active,
      defaultView: { innerHeight: 740, matchMedia: () => ({ matches: isStill }) },
    },
    getBoundingClientRect: () => ({ top: place.top, bottom: place.top + 400 }),
    focus: vi.fn(),
    scrollIntoView: vi.fn(),
  };
  const undo = showOpened(area as never);
  return { area, place, undo, disconnect: mutations.disconnect, change: () => mutations.tell([]) };
}

describe('CON-23: what is opened from a list that stands above it', () => {
  it('comes into sight with the focus, smoothly or at once as people want it', () => {
    const { area } = opened({ top: 1200 });
    expect(area.focus).toHaveBeenCalledExactlyOnceWith({ preventScroll: true });
    expect(area.scrollIntoView).toHaveBeenCalledExactlyOnceWith({ block: 'start', behavior: 'smooth' });
    expect(opened({ top: 1200, isStill: true }).area.scrollIntoView).toHaveBeenCalledWith({
      block: 'start',
      behavior: 'auto',
    });
  });
  it('does not move where it is in sight, nor where nobody chose a row', () => {
    for (const { area } of [opened({ top: 150 }), opened({ top: 1200, fromList: false })]) {
      expect(area.focus).not.toHaveBeenCalled();
      expect(area.scrollIntoView).not.toHaveBeenCalled();
    }
  });
  it('does so again for the next item, until it goes', () => {
    const { area, place, change, undo, disconnect } = opened({ top: 100 });
    place.top = -2000;
    change();
    expect(area.scrollIntoView).toHaveBeenCalledTimes(1);
    undo();
    expect(disconnect).toHaveBeenCalledTimes(1);
  });
});
