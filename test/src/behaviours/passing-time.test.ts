import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createPassingTime, TICK_MS, type Timekeeper } from '#src/behaviours/passingTime.ts';
import { formatAge } from '#src/views/ui/format.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00Z') });
});

function passingTime() {
  let show: (() => void) | null = null;
  const keeper: Timekeeper = {
    setInterval: (run, ms) => Number(setInterval(run, ms)),
    clearInterval: (id) => {
      clearInterval(id);
    },
    onShown: (run) => {
      show = run;
      return () => {
        show = null;
      };
    },
  };
  return { ...createPassingTime(keeper), show: () => show?.() };
}

describe('passing time', () => {
  it('lets a text follow the clock, with one timer for all of them', () => {
    const time = passingTime();
    const seen: string[] = [];
    const stops = Array.from({ length: 50 }, () => time.subscribe(() => seen.push(formatAge('2026-11-21T10:00:00Z'))));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(2 * TICK_MS);
    expect(seen.filter((text) => text === 'just now')).toHaveLength(50);
    expect(seen.filter((text) => text === '1 minute ago')).toHaveLength(50);
    for (const stop of stops) stop.unsubscribe();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ticks at once when the page is shown again, and rests while nobody reads', () => {
    const time = passingTime();
    const listener = vi.fn();
    const stop = time.subscribe(listener);
    time.show();
    expect(listener).toHaveBeenCalledOnce();
    stop.unsubscribe();
    time.show();
    expect(listener).toHaveBeenCalledOnce();
    time.subscribe(listener);
    vi.advanceTimersByTime(TICK_MS);
    expect(listener).toHaveBeenCalledTimes(2);
  });

  it.each([
    [0, 'just now'],
    [59, 'just now'],
    [60, '1 minute ago'],
    [5 * 60, '5 minutes ago'],
    [3600, '1 hour ago'],
    [86_400, 'yesterday'],
  ])('%i seconds are %s', (seconds, text) => {
    expect(formatAge('2026-11-21T10:00:00Z', Date.parse('2026-11-21T10:00:00Z') + seconds * 1000)).toBe(text);
  });
});
