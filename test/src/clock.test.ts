import { expect, it, onTestFinished, vi } from 'vitest';
import { createActor, setup } from 'xstate';
import type { ClockEvent } from '#machines/playground/live/actors.ts';
import { createClock } from '#src/effects/browser/clock.ts';

function runClock() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
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
  const ticks: number[] = [];
  const machine = setup({ types: {} as { events: ClockEvent }, actors: { clock } }).createMachine({
    invoke: { src: 'clock' },
    on: { 'clock.ticked': { actions: ({ event }) => void ticks.push(event.elapsedSeconds) } },
  });
  const actor = createActor(machine).start();
  onTestFinished(() => void actor.stop());
  return { ticks, actor, oversleep: (ms: number) => (skew += ms), show: () => shown() };
}

it('LIV-20: counts whole seconds while it lives', () => {
  const { ticks, actor } = runClock();
  vi.advanceTimersByTime(3_500);
  expect(ticks).toEqual([1, 2, 3]);
  actor.stop();
  vi.advanceTimersByTime(5_000);
  expect(ticks).toEqual([1, 2, 3]);
});

it('LIV-20: tells the true time after timers were held up, at once when the page is shown', () => {
  const { ticks, oversleep, show } = runClock();
  vi.advanceTimersByTime(1_000);
  oversleep(59_000);
  show();
  expect(ticks).toEqual([1, 60]);
  vi.advanceTimersByTime(1_000);
  expect(ticks).toEqual([1, 60, 61]);
});
