/** Filters: what is typed in them, and when it is applied. */
import type { MouseEvent } from 'react';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createActor, fromPromise } from 'xstate';
import { logsMachine } from '#machines/workspace/logs/machine.ts';
import { usageMachine } from '#machines/workspace/usage/machine.ts';
import { applyTyped } from '#src/views/logs/LogFilters.tsx';
import { ReachableButton } from '#src/views/ui/ReachableButton.tsx';
import { applyDays } from '#src/views/ui/usage/PeriodPicker.tsx';
import { alone } from '../../machines/appServices.ts';
import { PLACE } from './drawn.tsx';

const pending = fromPromise(() => new Promise<never>(() => {}));

it('CON-33: a button that does not work does not submit its form', () => {
  const isPrevented = (can: boolean) => {
    const preventDefault = vi.fn();
    const { onClick } = ReachableButton({ type: 'submit', can }).props;
    onClick?.({ preventDefault } as unknown as MouseEvent);
    return preventDefault.mock.calls.length === 1;
  };
  expect([isPrevented(false), isPrevented(true)]).toEqual([true, false]);
});

describe('CON-33: "Done" of the drawer', () => {
  it('applies typed days, and says what is wrong with them', () => {
    const machine = alone(usageMachine).provide({ actors: { readToday: pending, loadUsage: pending } as never });
    const actor = createActor(machine, { input: { scope: PLACE, chart: 'cost', view: {} } }).start();
    onTestFinished(() => void actor.stop());
    const days = { start_date: '2026-04-02', end_date: '2026-04-01' };
    expect(applyDays(actor)).toBe(true);
    actor.send({ type: 'days.edited', ...days });
    expect([applyDays(actor), actor.getSnapshot().context.wanted]).toEqual([false, null]);
    actor.send({ type: 'days.edited', ...days, end_date: '2026-04-03' });
    expect(applyDays(actor)).toBe(true);
    expect(actor.getSnapshot().context.wanted).toMatchObject({ ...days, end_date: '2026-04-03' });
  });

  it('applies typed times, and says what is wrong with them', () => {
    const machine = alone(logsMachine).provide({ actors: { readStart: pending, loadLogs: pending } as never });
    const actor = createActor(machine, { input: { ...PLACE, view: {} } }).start();
    onTestFinished(() => void actor.stop());
    const [from, to] = ['2026-05-02T00:00:00.000Z', '2026-05-01T00:00:00.000Z'];
    expect(applyTyped(actor)).toBe(true);
    actor.send({ type: 'times.edited', from, to });
    expect([applyTyped(actor), actor.getSnapshot().context.view]).toEqual([false, {}]);
    actor.send({ type: 'times.edited', from: to, to: from });
    expect([applyTyped(actor), actor.getSnapshot().context.view]).toEqual([true, { from: to, to: from }]);
  });
});
