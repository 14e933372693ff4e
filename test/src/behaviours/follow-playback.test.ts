import { describe, expect, it } from 'vitest';
import type { PlayerActor } from '#machines/playground/player/machine.ts';
import { followPlayback } from '#src/behaviours/followPlayback.ts';

type Look = { context: { positionMs: number }; hasTag: () => boolean };

/** A scroller of ten rows of 100 px, of which 300 px are seen; each row is a word that begins with its second. */
class Scroller extends EventTarget {
  scrollTop = 0;
  said: number | undefined;
  readonly heard = new Map<string, number>();
  override addEventListener(...[name, listener]: Parameters<EventTarget['addEventListener']>): void {
    this.heard.set(name, (this.heard.get(name) ?? 0) + 1);
    super.addEventListener(name, listener);
  }
  override removeEventListener(...[name, listener]: Parameters<EventTarget['addEventListener']>): void {
    this.heard.set(name, (this.heard.get(name) ?? 0) - 1);
    super.removeEventListener(name, listener);
  }
  getBoundingClientRect() {
    return { top: 0, bottom: 300, height: 300 };
  }
  querySelector(selector: string) {
    const row = Number(/\d+/.exec(selector)?.[0]) / 1000;
    const top = row * 100 - this.scrollTop;
    return {
      setAttribute: () => (this.said = row),
      removeAttribute: () => (this.said = undefined),
      getBoundingClientRect: () => ({ top, bottom: top + 100 }),
    };
  }
}

describe('ASY-18: the word that is said', () => {
  const follow = () => {
    const scroller = new Scroller();
    let look: (snapshot: Look) => void = () => {};
    const player = {
      subscribe: (next: (snapshot: Look) => void) => {
        look = next;
        return { unsubscribe: () => (look = () => {}) };
      },
    };
    const placeAt = (ms: number) => ({ startMs: Math.floor(ms / 1000) * 1000, row: Math.floor(ms / 1000) });
    const undo = followPlayback(player as unknown as PlayerActor, placeAt, () => {})(
      scroller as unknown as HTMLElement,
    );
    const play = (positionMs: number, isPlaying = true) => look({ context: { positionMs }, hasTag: () => isPlaying });
    return { scroller, play, undo };
  };

  it('is marked, and kept in sight until the user scrolls away; a pause brings it back', () => {
    const { scroller, play } = follow();
    play(1000);
    expect([scroller.said, scroller.scrollTop]).toEqual([1, 0]);
    play(5000);
    expect([scroller.said, scroller.scrollTop]).toEqual([5, 400]);
    scroller.dispatchEvent(new Event('wheel'));
    play(9000);
    expect([scroller.said, scroller.scrollTop]).toEqual([9, 400]);
    play(9000, false);
    play(8000);
    expect([scroller.said, scroller.scrollTop]).toEqual([8, 700]);
  });

  it('is no longer marked, and the scroller not listened to, once it is let go', () => {
    const { scroller, play, undo } = follow();
    play(1000);
    undo();
    play(2000);
    expect(scroller.said).toBeUndefined();
    expect(Object.fromEntries(scroller.heard)).toEqual({ wheel: 0, touchmove: 0 });
  });
});
