/** What billing says of a period, in its tables and as xlsx. */
import { beforeEach, describe, expect, it } from 'vitest';
import { readSheet } from 'read-excel-file/node';
import { BillingCost, BillingReport } from '#contract/billing.ts';
import { TransactionPage } from '#contract/transactions.ts';
import { enterCorrection } from '#server/money/payments/correct.ts';
import { chargeUsage } from '#server/money/ledger/charge.ts';
import { postDays } from '#server/money/ledger/posting.ts';
import type { TestServer, TestUser } from '../../harness.ts';
import { ended, writeUsage } from '../../usage.ts';
import { addProject, outcomeOf, projectOf } from '../../people.ts';
import { CREDIT, Served } from '../served.ts';

const served = new Served();
const { ask, call, overview, transactions } = served;
let server: TestServer;
let ada: TestUser;
let other: string;
beforeEach(async () => {
  ({ server, ada } = served);
  other = await addProject(server, ada, '=cmd|calc');
});

const db = () => served.db;
const MAY = { start_date: '2026-05-01', end_date: '2026-05-31' };
const report = (more: object = {}) => ask(BillingReport, 'POST', 'billing/reports/', { ...MAY, ...more });
const cost = (more: object = {}) => ask(BillingCost, 'POST', 'billing/cost/', { ...MAY, ...more });

/** Five requests in two projects: at both edges of the month and of a day, one that failed, one without a price. */
async function fill(): Promise<void> {
  const of = (project_id: string, at: string, cost_micros: number | null, more: object = {}) =>
    ended({ project_id, ended_at: new Date(at), cost_micros, audio_ms: 60_000, ...more });
  await writeUsage(db(), [
    of(ada.projectId, '2026-04-30T23:59:59.999Z', 1_000_000),
    of(ada.projectId, '2026-05-01T00:00:00.000Z', 11),
    of(ada.projectId, '2026-05-01T23:59:59.999Z', 200, { kind: 'real_time', model: 'parlance-rt-1' }),
    of(other, '2026-05-31T23:59:59.999Z', 3_000, { status: 'failed', error_type: 'audio_decode_error' }),
    of(other, '2026-05-20T12:30:00.000Z', null),
    of(other, '2026-06-01T00:00:00.000Z', 2_000_000),
  ]);
}

describe('the billing report', () => {
  it('BIL-02 BIL-04: has a number for each step in days of UTC, by project, and their totals; daily unless asked', async () => {
    await fill();
    const all = await report();
    expect([all.period, all.buckets.length, all.buckets[0], all.totals]).toEqual([
      'daily',
      31,
      '2026-05-01T00:00:00.000Z',
      { requests: 4, audio_ms: 240_000, cost_micros: 3_211 },
    ]);
    const [calc, test] = all.series;
    expect([calc?.project_name, test?.project_name]).toEqual(['=cmd|calc', 'Test project']);
    expect([test?.cost_micros[0], test?.requests[0], test?.cost_micros.slice(1).some(Boolean)]).toEqual([
      211,
      2,
      false,
    ]);
    expect([calc?.requests[19], calc?.cost_micros[19], calc?.cost_micros[30]]).toEqual([1, 0, 3_000]);
  });

  it('BIL-02: by the hour and the month, and of some projects', async () => {
    await fill();
    const hourly = await report({ ...MAY, end_date: '2026-05-01', period: 'hourly' });
    expect(hourly.series[0]?.cost_micros).toEqual([11, ...Array.from({ length: 22 }, () => 0), 200]);
    const monthly = await report({ start_date: '2026-04-15', end_date: '2026-06-02', period: 'monthly' });
    expect(monthly.buckets).toEqual([
      '2026-04-01T00:00:00.000Z',
      '2026-05-01T00:00:00.000Z',
      '2026-06-01T00:00:00.000Z',
    ]);
    expect(monthly.totals.cost_micros).toBe(3_003_211);
    expect((await report({ project_ids: [other] })).totals.cost_micros).toBe(3_000);
    expect((await report({ project_ids: [], service_ids: ['transcription'] })).totals.cost_micros).toBe(3_211);
  });

  it('BIL-02: lists all selectable projects, deleted ones too, whatever the filter; none of another organization', async () => {
    await fill();
    const [eve, quiet] = [await server.createUser(), await addProject(server, ada, 'Unused')];
    await writeUsage(db(), [ended({ project_id: eve.projectId, ended_at: new Date('2026-05-04'), cost_micros: 7 })]);
    expect((await server.call(ada, 'DELETE', projectOf({ ...ada, projectId: other }))).status).toBe(204);
    const whole = await report();
    expect(whole.series.map(({ project_name, is_deleted }) => [project_name, is_deleted])).toEqual([
      ['=cmd|calc', true],
      ['Test project', false],
    ]);
    expect(whole.totals.cost_micros).toBe(3_211);
    expect(whole.projects[0]).toEqual({ uuid: other, name: '=cmd|calc', is_deleted: true });
    expect(whole.projects.map(({ uuid }) => uuid).sort()).toEqual([other, quiet, ada.projectId].sort());
    const narrow = await report({ project_ids: [quiet, eve.projectId] });
    expect([narrow.series, narrow.projects]).toEqual([[], whole.projects]);
  });

  it.each([
    ['a reversed period', { start_date: '2026-05-02', end_date: '2026-05-01' }],
    ['a day that no month has', { start_date: '2026-02-30', end_date: '2026-05-01' }],
    ['too many hours', { start_date: '2026-01-01', end_date: '2026-05-01', period: 'hourly' }],
    ['another service', { ...MAY, service_ids: ['translation'] }],
  ])('BIL-04: %s is refused', async (_what, body) => {
    expect(await outcomeOf(await call('POST', 'billing/reports/', body))).toBe('400 invalid_request');
  });
});

describe('the cost table', () => {
  it('BIL-02 BIL-03 RPT-02: has a row by project, kind and model, and is the same as xlsx, read by another library', async () => {
    await fill();
    const table = await cost();
    expect(table.rows.map((row) => [row.project_name, row.kind, row.model, row.requests, row.cost_micros])).toEqual([
      ['=cmd|calc', 'async', 'parlance-async-1', 2, 3_000],
      ['Test project', 'async', 'parlance-async-1', 1, 11],
      ['Test project', 'real_time', 'parlance-rt-1', 1, 200],
    ]);
    const { buckets, series } = await report();
    const sheetOf = async (path: string): Promise<unknown[][]> => {
      const answer = await call('POST', path, MAY);
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w-]+\.xlsx"$/);
      return readSheet(Buffer.from(await answer.arrayBuffer()));
    };
    const figures = (requests?: number, audio_ms = 0, cost_micros = 0) => [
      requests,
      audio_ms / 60_000,
      cost_micros / 1_000_000,
    ];
    const total = figures(table.totals.requests, table.totals.audio_ms, table.totals.cost_micros);
    const [head, ...rows] = await sheetOf('billing/cost/xlsx/');
    expect(head?.slice(0, 5)).toEqual(['Project', 'Project id', 'Service', 'Kind', 'Model']);
    expect(head?.slice(5)).toEqual(['Requests', 'Audio (minutes)', 'Cost (USD)']);
    expect(rows).toEqual([
      ...table.rows.map(({ project_name, project_uuid, kind, model, requests, audio_ms, cost_micros }) => [
        ...[project_name, project_uuid, 'Transcription', kind === 'async' ? 'Async' : 'Live', model],
        ...figures(requests, audio_ms, cost_micros),
      ]),
      ['Total', null, null, null, null, ...total],
    ]);
    const [names, ...steps] = await sheetOf('billing/reports/xlsx/');
    expect(names?.slice(4)).toEqual(['Requests', 'Audio (minutes)', 'Cost (USD)']);
    expect(steps).toEqual([
      ...buckets.flatMap((start, step) =>
        series
          .filter(({ requests }) => requests[step] !== 0)
          .map(({ project_name, project_uuid, requests, audio_ms, cost_micros }) => [
            ...[new Date(start), project_name, project_uuid, 'Transcription'],
            ...figures(requests[step], audio_ms[step], cost_micros[step]),
          ]),
      ),
      ['Total', null, null, null, ...total],
      ['Where a project had no requests there is no row.', null, null, null, null, null, null],
    ]);
  });
});

describe('the overview', () => {
  const today = () => served.now().toISOString().slice(0, 10);
  const useAgo = (days: number, micros: number) =>
    served.use(micros, new Date(served.now().getTime() - days * 86_400_000));

  it('BIL-01: says what is left, and what the period and today cost', async () => {
    for (const ago of [1, 3]) await useAgo(ago, 700_000);
    await useAgo(0, 600_000);
    const period = { start_date: today(), end_date: today() };
    expect(await overview(`?start_date=${today()}&end_date=${today()}`)).toMatchObject({
      balance_micros: 8_000_000,
      unposted_micros: 2_000_000,
      cost_micros: 600_000,
      today_micros: 600_000,
      is_exhausted: false,
      period,
    });
    await useAgo(0, 8_000_000);
    expect(await overview()).toMatchObject({ balance_micros: 0, is_exhausted: true, days_left: 0 });
  });

  it('BIL-01 BIL-04: takes this month to today, or the rest of a period that is given in part', async () => {
    const periodOf = async (query: string): Promise<unknown> => (await overview(query)).period;
    expect(await periodOf('')).toEqual({ start_date: `${today().slice(0, 7)}-01`, end_date: today() });
    expect(await periodOf('?end_date=2026-02-28')).toEqual({ start_date: '2026-02-01', end_date: '2026-02-28' });
    expect(await periodOf('?start_date=2026-02-28')).toEqual({ start_date: '2026-02-28', end_date: today() });
    expect(await periodOf('?start_date=2999-01-02')).toEqual({ start_date: '2999-01-02', end_date: '2999-01-02' });
    const reversed = await call('GET', 'billing/overview/?start_date=2026-05-02&end_date=2026-05-01');
    expect(reversed.status).toBe(400);
  });
});

describe('transactions', () => {
  it('BIL-08 LED-01: hold a correction and a credit of one reference; no part of a micro-dollar, and no credit below zero', async () => {
    const enter = (kind: 'correction' | 'credit', micros: number) => {
      const entry = { organizationId: ada.organizationId, kind, micros, reference: 'T-1', description: 'Thanks' };
      return enterCorrection(served.server.services, entry);
    };
    for (const kind of ['correction', 'credit'] as const) expect(await enter(kind, 7)).toMatchObject({ isNew: true });
    await expect(enter('correction', 0.5)).rejects.toThrow(RangeError);
    await expect(enter('credit', -1)).rejects.toThrow(RangeError);
    expect(await served.listed()).toEqual([
      ['credit', 7],
      ['correction', 7],
      ['credit', CREDIT],
    ]);
  });

  it('BIL-08: are paged, newest first, with balance, day of usage and total; usage and credits have no receipt', async () => {
    await fill();
    await postDays(db(), new Date('2026-07-01T00:00:00Z'));
    const page = (query: string) => ask(TransactionPage, 'GET', `billing/transactions/?return_total=true&${query}`);
    const all = (await page('limit=50')).transactions;
    expect(
      all.map(({ kind, amount_micros, balance_after_micros, day }) => [kind, amount_micros, balance_after_micros, day]),
    ).toEqual([
      ['usage', -2_000_000, 6_996_789, '2026-06-01'],
      ['usage', -3_000, 8_996_789, '2026-05-31'],
      ['usage', -211, 8_999_789, '2026-05-01'],
      ['usage', -1_000_000, 9_000_000, '2026-04-30'],
      ['credit', CREDIT, CREDIT, null],
    ]);
    expect(all.filter(({ receipt }) => receipt !== null)).toEqual([]);
    for (const { kind, description } of all)
      expect(description).toMatch(kind === 'usage' ? /^Usage on [A-Z][a-z]{2} \d+, 2026 \(UTC\)$/ : /credit$/);
    expect((await ask(TransactionPage, 'GET', 'billing/transactions/')).total).toBe(null);
    expect((await call('GET', 'billing/transactions/?offset=-1')).status).toBe(400);
    const pages = await Promise.all([0, 2, 4, 6].map((offset) => page(`limit=2&offset=${offset}`)));
    expect(pages.map(({ total }) => total)).toEqual([5, 5, 5, 5]);
    expect(pages.flatMap(({ transactions }) => transactions)).toEqual(all);
    expect((await call('GET', `billing/transaction/${all[0]?.uuid ?? ''}/receipt-url/`)).status).toBe(404);
  });

  it('BIX-09: and the usage that is not posted yet end in the balance of the overview', async () => {
    await served.use(11_200);
    const { transactions: rows, unposted_micros } = await ask(TransactionPage, 'GET', 'billing/transactions/');
    expect([rows[0]?.balance_after_micros, unposted_micros]).toEqual([CREDIT, 11_200]);
    expect((await overview()).balance_micros).toBe(CREDIT - 11_200);
  });

  it('BIX-09: also where the cost of a posted day was lowered', async () => {
    const { organizationId } = ada;
    const charge = (micros: number) =>
      db()
        .transaction()
        .execute((trx) => chargeUsage(trx, { organizationId, day: '2026-05-01', micros, at: served.now() }));
    await charge(11_200);
    await postDays(db(), new Date('2026-07-01T00:00:00Z'));
    await charge(-200);
    const { transactions: rows, unposted_micros } = await ask(TransactionPage, 'GET', 'billing/transactions/');
    expect([rows[0]?.balance_after_micros, unposted_micros]).toEqual([CREDIT - 11_200, -200]);
    expect(await overview()).toMatchObject({ balance_micros: CREDIT - 11_000, unposted_micros: -200 });
  });

  it('BIL-08: say the same of usage that an earlier version has posted', async () => {
    const { organizationId: organization_id } = ada;
    const entry = {
      organization_id,
      kind: 'usage',
      amount_micros: -1,
      balance_after_micros: 0,
      cause: `usage:${organization_id}:2026-05-04`,
    } as const;
    const said = { description: 'Usage of 2026-05-04', day: '2026-05-04', at: served.now() };
    await db()
      .insertInto('ledger_entries')
      .values({ ...entry, ...said })
      .execute();
    expect((await transactions())[0]).toMatchObject({ description: 'Usage on May 4, 2026 (UTC)', day: '2026-05-04' });
  });
});
