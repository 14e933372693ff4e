/** Reports and sheets of many projects: read piece by piece, and refused where they are too large. */
import { sql } from 'kysely';
import { readSheet } from 'read-excel-file/node';
import { describe, expect, it } from 'vitest';
import { BillingCost, BillingReport, COST_ROWS_MAX } from '#contract/billing.ts';
import { stepPages, readReport } from '#server/money/billing/report.ts';
import { costPages } from '#server/money/billing/cost-table.ts';
import { reportSheet } from '#server/money/billing/sheets.ts';
import { xlsxStream } from '#server/money/billing/xlsx.ts';
import { outcomeOf } from '../../people.ts';
import { Served } from '../served.ts';

const served = new Served();
const { ask, call } = served;
const DAY = { start_date: '2026-05-04', end_date: '2026-05-04' };
const MESSAGE = /^This is more than [\d,]+ (cells|rows).*\. Choose a shorter time/;

/** As many more projects, each of which had requests in these hours of a day, and so on that day. */
async function fill(projects: number, hours: number): Promise<void> {
  await sql`with made as (
      insert into projects (id, organization_id, name, description, created_at)
      select gen_random_uuid(), ${served.ada.organizationId}, 'P' || n, '', now()
      from generate_series(1, ${projects}::int) n returning id, name
    ), hourly as (
      insert into usage_hourly (project_id, step, kind, model, slot, requests, errors, cancelled, audio_ms, priced, cost_micros)
      select id, ${DAY.start_date}::timestamptz + hour * interval '1 hour', 'async', 'a-1', 0, 1, 0, 0, hour, 1, substr(name, 2)::int
      from made, generate_series(0, ${hours}::int - 1) hour
    )
    insert into usage_daily (project_id, step, kind, model, slot, requests, errors, cancelled, audio_ms, priced, cost_micros)
    select id, ${DAY.start_date}::timestamptz, 'async', 'a-1', 0, ${hours}::int, 0, 0, 0, 1, substr(name, 2)::int from made`.execute(
    served.db,
  );
}
/** The project that has had no requests has one in the first hour, and another is the last by its name. */
async function useFirst(last: string | undefined): Promise<void> {
  await sql`insert into usage_hourly (project_id, step, kind, model, slot, requests, errors, cancelled, audio_ms, priced, cost_micros)
    values (${served.ada.projectId}, ${DAY.start_date}, 'async', 'a-1', 0, 1, 0, 0, 1, 1, 1)`.execute(served.db);
  await sql`update projects set name = 'Z' where id = ${last ?? null}`.execute(served.db);
}
const sheetOf = async (path: string, body: object): Promise<unknown[][]> =>
  readSheet(Buffer.from(await (await call('POST', path, body)).arrayBuffer()));

describe('a report of many projects', () => {
  it('RPT-01: its sheet has each row once and in order, also where a step has more than are read at a time', async () => {
    await fill(1100, 3);
    const asked = { ...DAY, period: 'hourly' } as const;
    const { buckets, series, totals } = await ask(BillingReport, 'POST', 'billing/reports/', asked);
    const [, ...rows] = await sheetOf('billing/reports/xlsx/', asked);
    expect(rows.slice(0, -2)).toEqual(
      buckets
        .slice(0, 3)
        .flatMap((start, step) =>
          series.map(({ project_name, project_uuid, requests, audio_ms, cost_micros }) => [
            ...[new Date(start), project_name, project_uuid, 'Transcription', requests[step]],
            expect.closeTo((audio_ms[step] ?? 0) / 60_000, 6),
            (cost_micros[step] ?? 0) / 1_000_000,
          ]),
        ),
    );
    expect(rows.at(-2)?.slice(4)).toEqual([
      totals.requests,
      expect.closeTo(totals.audio_ms / 60_000, 6),
      totals.cost_micros / 1_000_000,
    ]);
    const sizes: number[] = [];
    const read: string[] = [];
    for await (const page of await stepPages(served.db, served.ada.organizationId, asked, new Date(DAY.start_date))) {
      // What comes first from now on, or stands elsewhere, has had its place.
      if (sizes.length === 0) await useFirst(page.at(-1)?.project_uuid);
      sizes.push(page.length);
      read.push(...page.map(({ step, project_uuid }) => `${step.toISOString()} ${project_uuid}`));
    }
    expect(sizes).toHaveLength(6);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
    expect([...new Set(read)]).toEqual(read);

    const costs = await ask(BillingCost, 'POST', 'billing/cost/', DAY);
    const [, ...costRows] = await sheetOf('billing/cost/xlsx/', DAY);
    expect(costRows.map((row) => [row[1], row[7]])).toEqual([
      ...costs.rows.map(({ project_uuid, cost_micros }) => [project_uuid, cost_micros / 1_000_000]),
      [null, costs.totals.cost_micros / 1_000_000],
    ]);
  });

  it('RPT-01: while it is put together, others have their turn after each project', async () => {
    await fill(500, 1);
    let turns = 0;
    const turn = (): NodeJS.Immediate => {
      turns += 1;
      return (next = setImmediate(turn));
    };
    let next = setImmediate(turn);
    await readReport(served.db, served.ada.organizationId, DAY);
    clearImmediate(next);
    expect(turns).toBeGreaterThan(500);
  });

  it('RPT-01: a sheet is read as it is taken: nothing before, and no more once the reader has left', async () => {
    const read: number[] = [];
    const begin = () =>
      xlsxStream(
        reportSheet(
          (async function* () {
            for (let page = 0; page < 100; page += 1) {
              read.push(page);
              yield [];
            }
          })(),
        ),
        () => expect.unreachable(),
      );
    const left = begin();
    expect(read).toEqual([]);
    await left.cancel();
    expect(read).toEqual([]);
    await new Response(begin()).arrayBuffer();
    expect(read).toHaveLength(100);
  });

  it('RPT-01: one that cannot be read to its end breaks off, and is no sheet', async () => {
    const broken: unknown[] = [];
    const failure = new Error('The database is gone.');
    const pages = (async function* () {
      yield [];
      throw failure;
    })();
    const stream = xlsxStream(reportSheet(pages), (error) => broken.push(error));
    await expect(new Response(stream).arrayBuffer()).rejects.toThrow('The database is gone.');
    expect(broken).toEqual([failure]);
  });
});

describe.each([
  ['steps', stepPages],
  ['costs', costPages],
])('MET-08 RPT-01: a sheet of %s breaks off', (_, open) => {
  /** Reads it to its end, with something in between. */
  const read = async (meanwhile: () => Promise<unknown>): Promise<void> => {
    await fill(101, 1);
    let pages = 0;
    for await (const _page of await open(served.db, served.ada.organizationId, DAY, served.now()))
      if ((pages += 1) === 1) await meanwhile();
  };

  it('where what was used on a day that was over changes while it is read', async () => {
    const change = () => sql`update usage_daily set audio_ms = audio_ms + 1`.execute(served.db);
    await expect(read(change)).rejects.toThrow('has changed while');
  });

  it('where the organization is deleted while it is read', async () => {
    const remove = async () => expect((await served.remove()).status).toBeLessThan(300);
    await expect(read(remove)).rejects.toThrow('was deleted while');
  });
});

describe('RPT-03: what is too large is refused, with what to do', () => {
  it('as a report: by projects that were used times steps', async () => {
    await fill(200, 1);
    const asked = { start_date: '2026-01-01', end_date: '2026-09-07' };
    expect((await ask(BillingReport, 'POST', 'billing/reports/', asked)).series).toHaveLength(200);
    const longer = await call('POST', 'billing/reports/', { ...asked, end_date: '2026-09-08' });
    expect(await outcomeOf(longer.clone())).toBe('400 report_too_large');
    expect((await longer.json()).message).toMatch(MESSAGE);
    expect((await call('POST', 'billing/reports/xlsx/', { ...asked, end_date: '2026-09-08' })).status).toBe(200);
  });

  it('as a cost table: by its rows', async () => {
    await fill(1, 1);
    await sql`insert into usage_daily (
        project_id, step, kind, model, slot, requests, errors, cancelled, audio_ms, priced, cost_micros)
      select ${served.ada.projectId}, ${DAY.start_date}, 'async', 'm-' || n, 0, 1, 0, 0, 0, 1, 1
      from generate_series(1, ${COST_ROWS_MAX}::int) n`.execute(served.db);
    const refused = await call('POST', 'billing/cost/', DAY);
    expect(await outcomeOf(refused.clone())).toBe('400 report_too_large');
    expect((await refused.json()).message).toMatch(MESSAGE);
    expect((await call('GET', `billing/overview/?start_date=${DAY.start_date}&end_date=${DAY.end_date}`)).status).toBe(
      200,
    );
  });

  it.each([stepPages, costPages])('as a sheet: by its rows (%o)', async (open) => {
    await fill(2, 2);
    await open(served.db, served.ada.organizationId, DAY, served.now(), 2);
    await expect(open(served.db, served.ada.organizationId, DAY, served.now(), 1)).rejects.toMatchObject({
      kind: 'invalid',
      type: 'report_too_large',
      message: expect.stringMatching(MESSAGE),
    });
  });
});
