import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import type { TransactionPage } from '#contract/transactions.ts';
import type { BillingCost, BillingReport, BillingReportRequest } from '#contract/billing.ts';
import type { ReportsView } from '#machines/shared/route.ts';
import { costsMachine, requestOf as costRequestOf } from '#machines/workspace/billing/costs/machine.ts';
import {
  BY_PROJECT,
  inOrder,
  ordered,
  type CostColumn,
  type CostOrder,
} from '#machines/workspace/billing/costs/order.ts';
import {
  askedProjects,
  hasUnbilledService,
  isSameView,
  countUnknown,
  toggled,
  withProjects,
} from '#machines/workspace/billing/reports/filter.ts';
import { reportsMachine, requestOf } from '#machines/workspace/billing/reports/machine.ts';
import { transactionsMachine } from '#machines/workspace/billing/transactions/machine.ts';
import {
  badIn,
  pagesAround,
  pagingOf,
  viewShowing,
  type Paging,
} from '#machines/workspace/billing/transactions/paging.ts';
import { unpostedIn } from '#machines/workspace/billing/transactions/unposted.ts';
import { uuidOf } from '../../people.ts';
import { underParent } from '../../playground-fixtures.ts';

const known = [1, 2, 3].map((n) => ({ uuid: uuidOf(n), name: `P${n}`, is_deleted: n === 3 }));
const report: BillingReport = {
  currency: 'USD',
  start_date: '2026-04-01',
  end_date: '2026-04-01',
  period: 'daily',
  buckets: ['2026-04-01T00:00:00Z'],
  series: [],
  projects: known,
  totals: { requests: 0, audio_ms: 0, cost_micros: 0 },
};

/** The chart in a parent that keeps what it is told; `asked` are the reports that it loaded. */
function started(view: ReportsView) {
  const asked: BillingReportRequest[] = [];
  const reports = reportsMachine.provide({
    actors: {
      readToday: fromPromise(() => Promise.resolve('2026-04-15')),
      loadReport: fromPromise(({ input: { request } }) => {
        asked.push(request);
        return Promise.resolve(report);
      }),
    },
  });
  const { child: actor, told } = underParent(reports, { orgUuid: 'o1', view });
  return { actor, told, asked, settled: () => waitFor(actor, (snapshot) => !snapshot.hasTag('loading')) };
}

const usual = { start_date: '2026-04-01', end_date: '2026-04-15', period: 'daily' };

describe('BIL-02 BIL-04: what a report is about', () => {
  it('what there is of the address counts, and the rest falls back by itself', async () => {
    const { asked, settled } = started({
      start_date: '2026-04-31',
      end_date: 'x',
      project_ids: `${uuidOf(2)}, ${uuidOf(2)},nobody,${uuidOf(9)}`,
      period: 'daily',
    });
    const { context } = await settled();
    expect(context.bad).toEqual({ what: 'days' });
    expect(asked).toEqual([{ ...usual, project_ids: [uuidOf(2), uuidOf(9)] }]);
    expect(countUnknown(context.view, known)).toBe(2);
  });

  it('all projects show where the organization has none of those that are named', async () => {
    const { asked, told, settled } = started({ project_ids: uuidOf(9) });
    const { context } = await settled();
    expect(asked).toEqual([{ ...usual, project_ids: [uuidOf(9)] }, usual]);
    expect([context.asked, countUnknown(context.view, known), told]).toEqual([[], 1, []]);
  });

  it('what is chosen goes into the address, beside what was chosen before', async () => {
    const { actor, asked, told, settled } = started({ service_ids: 'transcription' });
    await settled();
    actor.send({ type: 'project.toggled', project: uuidOf(3) });
    await settled();
    actor.send({ type: 'project.toggled', project: uuidOf(1) });
    await settled();
    actor.send({ type: 'preset.chosen', preset: 'lastMonth' });
    const { context } = await settled();
    expect(told.map((event) => event['to'])).toEqual([
      { screen: 'billingReports', orgUuid: 'o1', service_ids: 'transcription', project_ids: uuidOf(3) },
      {
        screen: 'billingReports',
        orgUuid: 'o1',
        service_ids: 'transcription',
        project_ids: `${uuidOf(1)},${uuidOf(3)}`,
      },
      {
        screen: 'billingReports',
        orgUuid: 'o1',
        service_ids: 'transcription',
        project_ids: `${uuidOf(1)},${uuidOf(3)}`,
        start_date: '2026-03-01',
        end_date: '2026-03-31',
      },
    ]);
    expect(asked.at(-1)).toEqual({
      start_date: '2026-03-01',
      end_date: '2026-03-31',
      period: 'daily',
      project_ids: [uuidOf(1), uuidOf(3)],
    });
    // The file is of what the screen shows.
    expect(requestOf(context)).toEqual(asked.at(-1));
  });

  it('names are read as they may be typed', () => {
    expect(askedProjects({ project_ids: ` ${uuidOf(1).toUpperCase()},,${uuidOf(1)}, x` })).toEqual([uuidOf(1)]);
    expect(askedProjects({})).toEqual([]);
    expect(hasUnbilledService({ service_ids: 'transcription' })).toBe(false);
    expect(hasUnbilledService({ service_ids: 'transcription,dictation' })).toBe(true);
    expect(toggled([], known, uuidOf(2))).toEqual([uuidOf(2)]);
    expect(toggled([uuidOf(2)], known, uuidOf(2))).toEqual([]);
    // All of them is as if none were named.
    expect(toggled([uuidOf(3), uuidOf(2)], known, uuidOf(1))).toEqual([]);
    expect(withProjects({ project_ids: uuidOf(1), period: 'hourly' }, [])).toEqual({ period: 'hourly' });
    expect(isSameView({ project_ids: 'a' }, { project_ids: 'b' })).toBe(false);
    expect(isSameView({ service_ids: 'a' }, {})).toBe(false);
  });
});

describe('BIL-03 BIL-04: the cost table', () => {
  const at = async (view: object) => {
    const none: BillingCost = { currency: 'USD', start_date: '', end_date: '', rows: [], totals: report.totals };
    const costs = createActor(
      costsMachine.provide({
        actors: {
          readToday: fromPromise(() => Promise.resolve('2026-04-15')),
          loadCost: fromPromise(() => Promise.resolve(none)),
        },
      }),
      { input: { orgUuid: 'o1', view } },
    ).start();
    return (await waitFor(costs, (snapshot) => !snapshot.hasTag('loading'))).context;
  };

  it('is of whole days, over as many as there can be', async () => {
    expect(costRequestOf(await at({}))).toEqual({ start_date: '2026-04-01', end_date: '2026-04-15' });
    const years = { start_date: '2022-01-01', end_date: '2026-04-15' };
    expect(costRequestOf(await at(years))).toEqual(years);
    expect((await at(years)).bad).toBeNull();
    for (const none of [{ start_date: '2026-04-20' }, { start_date: '2020-01-01' }, { end_date: 'today' }]) {
      expect((await at(none)).bad).toEqual({ what: 'days' });
      expect(costRequestOf(await at(none))).toEqual({ start_date: '2026-04-01', end_date: '2026-04-15' });
    }
  });

  it('UXP-96: stands in the order of the column that is chosen', () => {
    const row = (n: number, requests: number, cost_micros: number, model = 'm') => ({
      project_uuid: uuidOf(n),
      project_name: `P${n}`,
      is_deleted: false,
      service: 'transcription' as const,
      kind: 'async' as const,
      model,
      requests,
      audio_ms: 0,
      cost_micros,
    });
    const rows = [row(1, 3, 10), row(2, 3, 20, 'n'), row(3, 9, 15)];
    const namesIn = (order: CostOrder) => inOrder(rows, order).map((one) => one.project_name);
    const chosen = (...columns: CostColumn[]) => columns.reduce(ordered, BY_PROJECT);
    expect(namesIn(BY_PROJECT)).toEqual(['P1', 'P2', 'P3']);
    expect(namesIn(chosen('cost_micros'))).toEqual(['P2', 'P3', 'P1']);
    expect(namesIn(chosen('requests'))).toEqual(['P3', 'P1', 'P2']);
    expect(namesIn(chosen('model'))).toEqual(['P1', 'P3', 'P2']);
    // A column that is chosen again turns round.
    expect(namesIn(chosen('project'))).toEqual(['P3', 'P2', 'P1']);
    // Rows of one project keep their order.
    const models = inOrder([row(1, 3, 10), row(2, 3, 20, 'm'), row(2, 3, 20, 'n')], chosen('project'));
    expect(models.map(({ project_name, model }) => `${project_name} ${model}`)).toEqual(['P2 m', 'P2 n', 'P1 m']);
    expect(namesIn(chosen('cost_micros', 'cost_micros'))).toEqual(['P1', 'P3', 'P2']);
    expect(chosen('cost_micros', 'cost_micros', 'model')).toEqual({ column: 'model', direction: 'ascending' });
  });
});

describe('BIL-08: pages of transactions', () => {
  it('what the address says of a page counts, as far as there can be one', () => {
    expect(pagingOf({})).toEqual({ offset: 0, limit: 50 });
    expect(pagingOf({ offset: '100', limit: '20' })).toEqual({ offset: 100, limit: 20 });
    for (const view of [{ offset: '-1' }, { offset: 'x' }, { limit: '0' }, { limit: '1001' }, { offset: '1e3' }]) {
      expect([pagingOf(view), badIn(view)]).toEqual([{ offset: 0, limit: 50 }, ['page']]);
    }
    expect(badIn({ kind: 'fee', offset: '7', limit: '1000' })).toEqual([]);
    expect(pagingOf({ kind: 'fee' })).toEqual({ kind: 'fee', offset: 0, limit: 50 });
    const odd = { kind: 'gift', offset: '100', limit: '0' };
    expect([pagingOf(odd), badIn(odd)]).toEqual([{ offset: 0, limit: 50 }, ['kind', 'page']]);
    expect(viewShowing({ offset: 0, limit: 50 })).toEqual({});
    expect(viewShowing({ kind: 'fee', offset: 50, limit: 20 })).toEqual({ kind: 'fee', offset: '50', limit: '20' });
  });

  it('knows the pages around one, and the last', () => {
    const of = (offset: number, total: number) => {
      const { newer, older, last } = pagesAround({ kind: 'usage', offset, limit: 50 }, total);
      const all = [newer, older, last].filter((page) => page !== null);
      expect(all).toEqual(all.map((page) => ({ ...page, kind: 'usage', limit: 50 })));
      return [newer?.offset ?? null, older?.offset ?? null, last.offset];
    };
    expect(of(0, 0)).toEqual([null, null, 0]);
    expect(of(0, 50)).toEqual([null, null, 0]);
    expect(of(0, 51)).toEqual([null, 50, 50]);
    expect(of(50, 101)).toEqual([0, 100, 100]);
    expect(of(20, 60)).toEqual([0, null, 50]);
    expect(of(500, 60)).toEqual([10, null, 50]);
  });

  it('BIL-08: a chosen kind begins at its first page, goes into the address, and is read once', async () => {
    const asked: Paging[] = [];
    const machine = transactionsMachine.provide({
      actors: {
        loadTransactions: fromPromise(({ input: { paging } }) => {
          asked.push(paging);
          return Promise.resolve({ transactions: [], total: 0, unposted_micros: 28, balance_micros: 72 });
        }),
      },
    });
    const { child, told } = underParent(machine, { orgUuid: 'o1', view: { offset: '50', limit: '20' } });
    await waitFor(child, (snapshot) => snapshot.hasTag('empty'));
    child.send({ type: 'kind.chosen', kind: 'usage' });
    const to = { screen: 'transactions', orgUuid: 'o1', kind: 'usage', limit: '20' } as const;
    child.send({ type: 'route.changed', route: to });
    await waitFor(child, (snapshot) => snapshot.hasTag('listed'));
    // Usage that is not posted yet stands above no other kind.
    expect(unpostedIn(child.getSnapshot().context)).toEqual([{ amount_micros: -28, balance_after_micros: 72 }]);
    child.send({ type: 'kind.chosen', kind: 'fee' });
    await waitFor(child, (snapshot) => snapshot.hasTag('empty'));
    expect(child.getSnapshot().context.knowsKinds).toBe(true);
    expect(asked).toEqual([
      { offset: 50, limit: 20 },
      { kind: 'usage', offset: 0, limit: 20 },
      { kind: 'fee', offset: 0, limit: 20 },
    ]);
    expect(told).toEqual([
      { type: 'navigate.requested', to },
      { type: 'navigate.requested', to: { ...to, kind: 'fee' } },
    ]);
  });

  it('CON-37: an address that asks for what there is not is replaced, and that is told until something is chosen', async () => {
    const machine = transactionsMachine.provide({
      actors: {
        loadTransactions: fromPromise<TransactionPage, { orgUuid: string; paging: Paging }>(() =>
          Promise.resolve({ transactions: [], total: 0, unposted_micros: 0, balance_micros: 0 }),
        ),
      },
    });
    const { child, told } = underParent(machine, { orgUuid: 'o1', view: { kind: 'gift', limit: '20' } });
    const bad = () => child.getSnapshot().context.bad;
    const settled = () => waitFor(child, (snapshot) => snapshot.hasTag('empty'));
    const to = { screen: 'transactions', orgUuid: 'o1', limit: '20' } as const;
    const plain = { screen: 'transactions', orgUuid: 'o1' } as const;
    await settled();
    expect([bad(), told.splice(0)]).toEqual([['kind'], [{ type: 'navigate.requested', to, replace: true }]]);
    child.send({ type: 'route.changed', route: to });
    expect([bad(), child.getSnapshot().hasTag('loading')]).toEqual([['kind'], false]);
    child.send({ type: 'route.changed', route: { ...to, kind: 'gift', offset: 'x' } });
    await settled();
    expect([bad(), told.splice(0)]).toEqual([
      ['kind', 'page'],
      [{ type: 'navigate.requested', to: plain, replace: true }],
    ]);
    child.send({ type: 'kind.chosen', kind: 'fee' });
    await settled();
    expect([bad(), told]).toEqual([[], [{ type: 'navigate.requested', to: { ...plain, kind: 'fee' } }]]);
    child.send({ type: 'route.changed', route: { ...plain, kind: 'gift' } });
    child.send({ type: 'route.changed', route: { ...plain, offset: '50' } });
    expect(bad()).toEqual([]);
  });

  it('BIL-08: a server of the version before, which tells no balance, is asked for no kinds', async () => {
    const machine = transactionsMachine.provide({
      actors: {
        loadTransactions: fromPromise<TransactionPage, { orgUuid: string; paging: Paging }>(() =>
          Promise.resolve({ transactions: [], total: 0, unposted_micros: 0, balance_micros: null }),
        ),
      },
    });
    const { child } = underParent(machine, { orgUuid: 'o1', view: {} });
    await waitFor(child, (snapshot) => snapshot.hasTag('empty'));
    expect(child.getSnapshot().context.knowsKinds).toBe(false);
  });
});
