import { describe, expect, it } from 'vitest';
import { fromCallback, fromPromise, waitFor, type AnyStateMachine } from 'xstate';
import { costsMachine } from '#machines/workspace/billing/costs/machine.ts';
import { overviewMachine } from '#machines/workspace/billing/overview/machine.ts';
import { reportsMachine } from '#machines/workspace/billing/reports/machine.ts';
import { metricsMachine } from '#machines/workspace/metrics/machine.ts';
import { usageMachine } from '#machines/workspace/usage/machine.ts';
import { countSet } from '#machines/workspace/usage/period.ts';
import { overviewOf } from '../billed.ts';
import { idle } from '../measured.ts';
import { underParent } from '../playground-fixtures.ts';

const org = { orgUuid: 'o1' };
const place = { ...org, projectUuid: 'p1' };
const nothing = { rows: [], series: [], projects: [], totals: {} };

/** Of each chart: what it begins with, what its address is, and what is read for it. */
const CHARTS: Record<
  string,
  { machine: AnyStateMachine; input: object; address: object; load: string; answer: unknown }
> = {
  usage: {
    machine: usageMachine,
    input: { scope: place, chart: 'cost', view: {} },
    address: { screen: 'usageCost', ...place },
    load: 'loadUsage',
    answer: { chart: 'cost', figures: nothing },
  },
  metrics: {
    machine: metricsMachine,
    input: { ...place, view: {} },
    address: { screen: 'metrics', ...place },
    load: 'loadMetrics',
    answer: idle,
  },
  'billing reports': {
    machine: reportsMachine,
    input: { ...org, view: {} },
    address: { screen: 'billingReports', ...org },
    load: 'loadReport',
    answer: nothing,
  },
  'the cost table': {
    machine: costsMachine,
    input: { ...org, view: {} },
    address: { screen: 'costTable', ...org },
    load: 'loadCost',
    answer: nothing,
  },
  'the billing overview': {
    machine: overviewMachine,
    input: { ...org, view: {}, attempt: null },
    address: { screen: 'billingOverview', ...org },
    load: 'loadOverview',
    answer: overviewOf(),
  },
};

/** The chart in a parent that keeps what it announces; `reads` are the days that were read. */
function started({ machine, input, load, answer }: (typeof CHARTS)[string]) {
  const reads: string[] = [];
  const logic = machine.provide({
    actors: {
      readToday: fromPromise(() => Promise.resolve('2026-04-15')),
      [load]: fromPromise(({ input: asked }) => {
        reads.push(
          JSON.stringify(asked)
            .match(/\d{4}-\d\d-\d\d/g)
            ?.join(' ') ?? '',
        );
        return reads.length === 1 ? Promise.reject(new Error('No.')) : Promise.resolve(answer);
      }),
      payment: fromCallback(() => undefined),
      download: fromCallback(() => undefined),
    },
  });
  const { child: actor, told } = underParent(logic, input);
  const settled = () => waitFor(actor, (snapshot) => !snapshot.hasTag('loading'));
  return { actor, told, reads, settled };
}

describe.each(Object.entries(CHARTS))('PRJ-04 PRJ-06 BIL-04: the period of %s', (_name, chart) => {
  it('is read again on request, and what is chosen goes into the address and is read once', async () => {
    const { actor, told, reads, settled } = started(chart);
    expect((await settled()).hasTag('failed')).toBe(true);
    actor.send({ type: 'retry.requested' });
    expect((await settled()).hasTag('failed')).toBe(false);
    expect([told, reads]).toEqual([[], ['2026-04-01 2026-04-15', '2026-04-01 2026-04-15']]);

    const days = { start_date: '2026-02-03', end_date: '2026-02-17' };
    actor.send({ type: 'days.submitted', ...days });
    await settled();
    const to = { ...chart.address, ...days };
    expect([told, reads.slice(2)]).toEqual([[{ type: 'navigate.requested', to }], ['2026-02-03 2026-02-17']]);
    expect(actor.getSnapshot().context.wanted).toBeNull();

    // The address that comes of it, and another screen's, change nothing.
    actor.send({ type: 'route.changed', route: to });
    actor.send({ type: 'route.changed', route: { screen: 'home' } });
    expect(actor.getSnapshot().hasTag('loading')).toBe(false);

    actor.send({ type: 'preset.chosen', preset: 'thisMonth' });
    await settled();
    expect(told.slice(1)).toEqual([{ type: 'navigate.requested', to: chart.address }]);
    actor.send({ type: 'route.changed', route: { ...chart.address, end_date: '2026-04-02' } });
    await settled();
    expect([reads.slice(3), told.slice(2)]).toEqual([['2026-04-01 2026-04-15', '2026-04-01 2026-04-02'], []]);
  });

  it('CON-37: is this month at an address of none, which that of this month replaces', async () => {
    const { actor, told, reads, settled } = started({
      ...chart,
      input: { ...chart.input, view: { start_date: 'soon' } },
    });
    const bad = async () => (await settled()).context.bad;
    expect(await bad()).toEqual({ what: 'days' });
    expect([told, reads]).toEqual([
      [{ type: 'navigate.requested', to: chart.address, replace: true }],
      ['2026-04-01 2026-04-15'],
    ]);
    // Neither the address that comes of it nor another try takes the notice away; a choice does.
    actor.send({ type: 'route.changed', route: chart.address });
    actor.send({ type: 'retry.requested' });
    expect([await bad(), told.length, reads.length]).toEqual([{ what: 'days' }, 1, 2]);
    actor.send({ type: 'preset.chosen', preset: 'last7Days' });
    expect(await bad()).toBeNull();
    actor.send({ type: 'route.changed', route: { ...chart.address, end_date: 'never' } });
    expect([await bad(), told.at(-1)]).toEqual([
      { what: 'days' },
      { type: 'navigate.requested', to: chart.address, replace: true },
    ]);
  });

  it('CON-37: keeps the days of an address whose steps do not exist, and names these', async () => {
    const days = { start_date: '2026-04-02', end_date: '2026-04-05' };
    const { actor, told, settled } = started({
      ...chart,
      input: { ...chart.input, view: { ...days, period: 'weekly' } },
    });
    const { bad, range } = (await settled()).context;
    expect([bad, range.start_date, range.end_date]).toEqual([
      { what: 'steps', named: 'weekly' },
      days.start_date,
      days.end_date,
    ]);
    expect(told).toEqual([{ type: 'navigate.requested', to: { ...chart.address, ...days }, replace: true }]);
    expect(actor.getSnapshot().context.view).not.toHaveProperty('period');
  });

  it('CON-37: keeps the days of an address that has too many of them for its steps', async () => {
    const days = { start_date: '2026-01-01', end_date: '2026-04-05' };
    const view = { ...days, period: 'hourly' };
    const { told, settled } = started({ ...chart, input: { ...chart.input, view } });
    const { bad, range } = (await settled()).context;
    expect([bad, range]).toEqual([{ what: 'steps', named: 'hourly' }, expect.objectContaining(days)]);
    expect(told).toEqual([{ type: 'navigate.requested', to: { ...chart.address, ...days }, replace: true }]);
  });

  it('stays where the days that were typed are none, and what is wrong with them is said until it is mended', async () => {
    const { actor, reads, settled } = started(chart);
    await settled();
    actor.send({ type: 'days.submitted', start_date: '2026-02-17', end_date: '2026-02-03' });
    expect([actor.getSnapshot().hasTag('loading'), actor.getSnapshot().context.problem]).toEqual([
      false,
      'The last day must not be before the first.',
    ]);
    actor.send({ type: 'days.edited', start_date: '2026-02-17', end_date: '2026-02-18' });
    expect([actor.getSnapshot().context.problem, reads.length]).toEqual([null, 1]);
  });

  it('CON-33: can be applied once other days are typed than those shown, until they are applied or dropped', async () => {
    const { actor, reads, settled } = started(chart);
    await settled();
    const can = (days: object) => actor.getSnapshot().can({ type: 'days.submitted', ...days });
    const shown = { start_date: '2026-04-01', end_date: '2026-04-15' };
    const others = { ...shown, end_date: '2026-04-14' };
    expect([can(shown), can(others)]).toEqual([false, true]);
    actor.send({ type: 'days.submitted', ...shown });
    expect(reads.length).toBe(1);

    actor.send({ type: 'days.edited', ...others });
    expect(actor.getSnapshot().context.typed).toEqual(others);
    actor.send({ type: 'days.dropped' });
    expect(actor.getSnapshot().context.typed).toBeNull();
    actor.send({ type: 'days.edited', ...others });
    actor.send({ type: 'days.submitted', ...others });
    expect([actor.getSnapshot().context.typed, can(others)]).toEqual([null, false]);
    await settled();
    expect([reads.length, can(shown), can(others)]).toEqual([2, true, false]);
  });

  it('counts what of it is not the default', async () => {
    const { actor, settled } = started(chart);
    const count = async () => countSet((await settled()).context);
    expect(await count()).toBe(0);
    actor.send({ type: 'preset.chosen', preset: 'last7Days' });
    expect(await count()).toBe(1);
    actor.send({ type: 'period.chosen', period: 'hourly' });
    expect(await count()).toBe(actor.getSnapshot().context.steps.length > 1 ? 2 : 1);
    actor.send({ type: 'preset.chosen', preset: 'thisMonth' });
    expect(await count()).toBe(0);
  });
});
