import { expect, it, vi } from 'vitest';
import type { ClockEvent } from '#machines/playground/live/actors.ts';
import { createClock } from '#src/effects/browser/clock.ts';
import { noted } from '../../noted.ts';

function runClock() {
  vi.useFakeTimers();
  let skew = 0;
  let shown: () => void = () => undefined;
  const clock = createClock({
    now: () => performance.now() + skew,
    setTimeout: (run, ms) => setTimeout(run, ms) as unknown as number,
    clearTimeout: (id) => clearTimeout(id),
    onShown: (run) => {
      shown = run;
      return () => (shown = () => undefined);
    },
  });
  const { said, stop } = noted<ClockEvent>(clock);
  const ticks = () => said.map(({ elapsedSeconds }) => elapsedSeconds);
  return { ticks, stop, oversleep: (ms: number) => (skew += ms), show: () => shown() };
}

it('LIV-20: counts whole seconds while it lives', () => {
  const { ticks, stop } = runClock();
  vi.advanceTimersByTime(3_500);
  expect(ticks()).toEqual([1, 2, 3]);
  stop();
  vi.advanceTimersByTime(5_000);
  expect(ticks()).toEqual([1, 2, 3]);
});

it('LIV-20: tells the true time after timers were held up, at once when the page is shown', () => {
  const { ticks, oversleep, show } = runClock();
  vi.advanceTimersByTime(1_000);
  oversleep(59_000);
  show();
  expect(ticks()).toEqual([1, 60]);
  vi.advanceTimersByTime(1_000);
  expect(ticks()).toEqual([1, 60, 61]);
});
