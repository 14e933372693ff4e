import { describe, expect } from 'vitest';
import type { BillingCost, BillingReport } from '#contract/billing.ts';
import type { Transaction, TransactionPage } from '#contract/transactions.ts';
import { costsMachine } from '#machines/workspace/billing/costs/machine.ts';
import { downloadMachine } from '#machines/workspace/download/machine.ts';
import { reportsMachine } from '#machines/workspace/billing/reports/machine.ts';
import { transactionsMachine } from '#machines/workspace/billing/transactions/machine.ts';
import { badIn } from '#machines/workspace/billing/transactions/paging.ts';
import { unpostedIn } from '#machines/workspace/billing/transactions/unposted.ts';
import { uuidOf } from '../test/machines/people.ts';
import { describeWalk, describeWalks } from './walk.ts';

const april = { currency: 'USD', start_date: '2026-04-01', end_date: '2026-04-02' } as const;
const project = {
  project_uuid: uuidOf(1),
  project_name: 'Calls',
  is_deleted: false,
  service: 'transcription',
} as const;
const totals = { requests: 1, audio_ms: 1000, cost_micros: 28 };

const report: BillingReport = {
  ...april,
  period: 'daily',
  buckets: ['2026-04-01T00:00:00Z', '2026-04-02T00:00:00Z'],
  series: [{ ...project, requests: [0, 1], audio_ms: [0, 1000], cost_micros: [0, 28] }],
  projects: [
    { uuid: uuidOf(1), name: 'Calls', is_deleted: false },
    { uuid: uuidOf(2), name: 'Notes', is_deleted: true },
  ],
  totals,
};
const nothing: BillingReport = { ...report, series: [], totals: { requests: 0, audio_ms: 0, cost_micros: 0 } };
const cost: BillingCost = { ...april, rows: [{ ...project, kind: 'async', model: 'a-1', ...totals }], totals };
const noCost: BillingCost = { ...cost, rows: [], totals: nothing.totals };

const days = [
  { start_date: '2026-03-01', end_date: '2026-03-31' },
  { start_date: '2026-03-31', end_date: '2026-03-01' },
];
const away = { type: 'route.changed', route: { screen: 'home' } };

describe('BIL-02 BIL-04: billing reports', () => {
  const at = (view: object) => ({ type: 'route.changed', route: { screen: 'billingReports', orgUuid: 'o1', ...view } });
  describeWalks(
    reportsMachine,
    {
      tags: { loading: ['loading'], failed: ['failed'], empty: ['shown.empty'], charted: ['shown.charted'] },
      ignored: {
        'The period is not long enough for these steps, or has them already': 'period.chosen at times in any state',
        'No project of the organization': 'project.toggled at times in any state',
        'All projects show': 'projects.cleared at times in any state',
        'Nothing has failed': 'retry.requested in loading, shown',
        'There is no report': 'measure.chosen in failed, loading',
        'There is no chart': 'bar.pointed, table.toggled in failed, loading, shown.empty',
      },
      cases: {
        'done readToday': ['2026-04-15'],
        'done loadReport': [report, nothing],
        'route.changed': [
          at({}),
          at({ start_date: '2026-03-01', end_date: '2026-03-05' }),
          at({ project_ids: `${uuidOf(1)},${uuidOf(9)}` }),
          at({ project_ids: `${uuidOf(9)},not-one`, service_ids: 'transcription' }),
          away,
        ],
        'preset.chosen': [{ preset: 'last7Days' }],
        'period.chosen': [{ period: 'hourly' }, { period: 'monthly' }],
        'days.edited': [{ start_date: '2026-03-02', end_date: '2026-03-31' }],
        'days.submitted': days,
        'project.toggled': [{ project: uuidOf(1) }, { project: uuidOf(2) }, { project: uuidOf(9) }],
        'measure.chosen': [{ measure: 'requests' }],
        'bar.pointed': [{ index: 1 }],
        'table.toggled': [{ isOpen: true }],
      },
      merge: true,
      distinguish: ({ context: { range, view, wanted, asked, report: read } }) => [
        range === null,
        view.start_date === undefined,
        view.project_ids,
        wanted !== null,
        asked.join(','),
        read === null,
      ],
      states: {
        'shown.charted': ({ context }) => expect(context.report.series).not.toEqual([]),
        'shown.empty': ({ context }) => expect(context.report.series).toEqual([]),
        failed: ({ context }) => expect(context.failure).not.toBeNull(),
        '': ({ children }) => expect(Object.keys(children)).toContain('download'),
      },
    },
    {
      'of all projects': {
        input: { orgUuid: 'o1', view: {} },
        without: ['period.', 'days.', 'route.', 'measure.', 'bar.'],
      },
      'at an address of no period': {
        input: { orgUuid: 'o1', view: { start_date: 'soon' } },
        without: ['preset.', 'project.', 'projects.', 'route.'],
      },
      'at one address after the other': {
        input: { orgUuid: 'o1', view: { project_ids: uuidOf(1) } },
        without: ['preset.', 'period.', 'days.', 'project.', 'projects.', 'measure.', 'bar.'],
      },
    },
  );
});

describe('BIL-03 BIL-04: the cost table', () => {
  const at = (view: object) => ({ type: 'route.changed', route: { screen: 'costTable', orgUuid: 'o1', ...view } });
  describeWalks(
    costsMachine,
    {
      tags: { loading: ['loading'], failed: ['failed'], empty: ['shown.empty'], listed: ['shown.listed'] },
      ignored: {
        'Nothing has failed': 'retry.requested in loading, shown',
        'There is no table': 'column.chosen in failed, loading, shown.empty',
      },
      cases: {
        'done readToday': ['2026-04-15'],
        'done loadCost': [cost, noCost],
        'route.changed': [at({}), at({ start_date: '2024-03-01', end_date: '2026-03-05' }), away],
        'preset.chosen': [{ preset: 'lastMonth' }],
        'days.edited': [{ start_date: '2026-03-02', end_date: '2026-03-31' }],
        'days.submitted': days,
        'column.chosen': [{ column: 'cost_micros' }],
      },
      merge: true,
      distinguish: ({ context: { range, view, wanted } }) => [
        range === null,
        view.start_date === undefined,
        wanted !== null,
      ],
      states: {
        'shown.listed': ({ context }) => expect(context.cost.rows).not.toEqual([]),
        'shown.empty': ({ context }) => expect(context.cost.rows).toEqual([]),
        failed: ({ context }) => expect(context.failure).not.toBeNull(),
        '': ({ children }) => expect(Object.keys(children)).toContain('download'),
      },
    },
    {
      'of this month': { input: { orgUuid: 'o1', view: {} } },
      'at an address of no period': {
        input: { orgUuid: 'o1', view: { start_date: '2026-04-02', end_date: '2026-04-01' } },
        without: ['preset.', 'days.', 'order.'],
      },
    },
  );
});

describe('BIL-02 BIL-03 PRJ-05: a download', () => {
  const table = { of: 'cost', orgUuid: 'o1', request: { start_date: '2026-04-01', end_date: '2026-04-30' } };
  describeWalk(downloadMachine, {
    tags: { saved: ['idle.saved'], refused: ['idle.refused'], saving: ['saving'] },
    ignored: {
      'One at a time': 'download.requested in saving',
      'There is none': 'download.cancelled in idle',
    },
    cases: { 'download.requested': [{ table }] },
    states: {
      saving: ({ context }) => expect(context).toMatchObject({ asked: table, failure: null }),
      'idle.refused': ({ context }) => expect(context.failure).not.toBeNull(),
    },
  });
});

const entry = (n: number, isPayment: boolean): Transaction => ({
  uuid: uuidOf(n),
  kind: isPayment ? 'payment' : 'usage',
  amount_micros: isPayment ? 20_000_000 : -28,
  balance_after_micros: 20_000_000,
  description: 'Payment',
  day: isPayment ? null : '2026-04-14',
  at: '2026-04-15T10:00:00Z',
  receipt: isPayment ? { kind: 'receipt', number: 'R-000001' } : null,
});
const RECEIPT = 'https://console.example/billing/receipt/a';

describe('BIL-08: transactions', () => {
  const at = (view: object) => ({ type: 'route.changed', route: { screen: 'transactions', orgUuid: 'o1', ...view } });
  const unposted = { unposted_micros: 28, balance_micros: 19_999_972 };
  const pages: readonly TransactionPage[] = [
    { transactions: [entry(1, true), entry(2, false), entry(3, true)], total: 3, ...unposted },
    { transactions: [], total: 3, ...unposted },
    { transactions: [], total: 0, ...unposted },
    { transactions: [], total: 0, unposted_micros: 0, balance_micros: 0 },
  ];
  describeWalks(
    transactionsMachine,
    {
      tags: {
        loading: ['list.loading'],
        failed: ['list.failed'],
        empty: ['list.shown.empty'],
        beyond: ['list.shown.beyond'],
        listed: ['list.shown.listed', 'list.shown.rereading', 'list.shown.outdated'],
        outdated: ['list.shown.outdated'],
        opening: ['receipt.opening'],
        blocked: ['receipt.blocked'],
        refused: ['receipt.refused'],
        asking: ['withdrawal.asking'],
        withdrawing: ['withdrawal.withdrawing'],
        withdrawn: ['withdrawal.idle.withdrawn'],
        kept: ['withdrawal.idle.kept'],
      },
      refused: [{ states: [''], event: away, why: 'It is of another screen' }],
      ignored: {
        'Nothing has failed': 'retry.requested in list.{loading, shown.{listed, empty, beyond, rereading}}',
        'What is not there has no receipt, and one that is being opened is not asked for twice':
          'receipt.requested at times in any state',
        'Nor has it links': 'withdrawal.requested at times in withdrawal.idle.quiet',
        'One at a time': 'withdrawal.requested in withdrawal.{asking, withdrawing}',
        'Nothing is asked':
          'withdrawal.{confirmed, declined} in withdrawal.{idle.{quiet, withdrawn, kept}, withdrawing}',
      },
      cases: {
        'done page': pages,
        'done newest': pages,
        'done openReceipt': [true, false].map((isOpen) => ({ url: RECEIPT, isOpen })),
        'receipt.requested': [1, 2, 3, 9].map((n) => ({ transaction: uuidOf(n) })),
        'withdrawal.requested': [1, 2].map((n) => ({ transaction: uuidOf(n) })),
        'route.changed': [at({}), at({ offset: '50' }), at({ kind: 'usage' }), at({ kind: 'gift' }), away],
        'kind.chosen': [{ kind: 'payment' }, { kind: null }],
      },
      merge: true,
      distinguish: ({ context: { view, rows, total } }) => [view.kind, view.offset, rows.length, total],
      states: {
        'list.shown.listed': ({ context }) => {
          expect([...context.rows, ...unpostedIn(context)]).not.toEqual([]);
          expect(context.unpostedMicros).toBe(28);
        },
        'list.shown.empty': ({ context }) =>
          expect([context.rows, context.total, unpostedIn(context)]).toEqual([[], 0, []]),
        'list.shown.beyond': ({ context }) => expect([context.rows, context.total]).toEqual([[], 3]),
        'list.shown.outdated': ({ context }) => expect(context.failure).not.toBeNull(),
        'list.failed': ({ context }) => expect(context.failure).not.toBeNull(),
        'receipt.opening': (snapshot) => {
          const { receiptOf: transaction, receiptUrl, receiptFailure } = snapshot.context;
          expect([receiptUrl, receiptFailure]).toEqual([null, null]);
          expect(snapshot.can({ type: 'receipt.requested', transaction })).toBe(false);
        },
        'receipt.blocked': ({ context }) => expect(context.receiptUrl).toBe(RECEIPT),
        'withdrawal.asking': ({ context }) => expect(context.withdrawalOf).toBe(uuidOf(1)),
        'withdrawal.idle.kept': ({ context }) => expect(context.withdrawalFailure).not.toBeNull(),
        '': ({ children, context }) => {
          expect(Object.keys(children)).toContain('download');
          expect(badIn(context.view)).toEqual([]);
        },
        'receipt.refused': ({ context }) => expect(context.receiptFailure).not.toBeNull(),
      },
    },
    {
      'page by page': { input: { orgUuid: 'o1', view: {} }, without: ['receipt.', 'withdrawal.'] },
      'with receipts': {
        input: { orgUuid: 'o1', view: { offset: 'x' } },
        without: ['route.', 'screen.', 'withdrawal.', 'kind.'],
      },
      'with links': {
        input: { orgUuid: 'o1', view: {} },
        without: ['route.', 'screen.', 'receipt.', 'retry.', 'kind.'],
      },
    },
  );
});
