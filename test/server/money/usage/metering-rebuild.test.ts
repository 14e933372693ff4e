/** The parts of the rows, and the rollups against the rows: made anew, interrupted, and compared. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeMonth, makeMonths } from '#server/money/usage/months.ts';
import { compareAll, finishRebuild, rebuildRollups } from '#server/money/usage/rebuild.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { TestUser } from '../../harness.ts';
import { ended, writeUsage } from '../../usage.ts';
import { Served } from '../served.ts';
import { forgetAll } from './usage.ts';

const served = new Served({}, forgetAll);
let db: Db;
let user: TestUser;
beforeEach(() => {
  ({ db, ada: user } = served);
});
afterEach(() => dropParts());

/** They stay in a database, which goes from test to test. */
async function dropParts(): Promise<void> {
  for (const name of await parts())
    if (/^usage_rows_203/.test(name)) await sql`drop table ${sql.table(name)}`.execute(db);
}

const parts = async (): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_rows'::regclass order by 1`.execute(
    db,
  );
  return rows.map(({ name }) => name);
};
/** Where the rows of the user's project lie, and how many. */
const places = async (): Promise<Record<string, number>> => {
  const { rows } = await sql<{ part: string; rows: number }>`
    select tableoid::regclass::text as part, count(*)::int as rows from usage_rows
    where project_id = ${user.projectId} group by 1 order by 1`.execute(db);
  return Object.fromEntries(rows.map(({ part, rows: count }) => [part, count]));
};
const write = (...moments: string[]): Promise<void> =>
  writeUsage(
    db,
    moments.map((moment) =>
      ended({
        project_id: user.projectId,
        ended_at: new Date(moment),
        cost_micros: 5,
        queue_ms: 20,
        processing_ms: 3000,
      }),
    ),
  );
const expectAgreement = async (): Promise<void> => expect(await compareAll(db)).toEqual([]);
/** How many sums are not those of the rows, by the hour, by the day, and of the days of logs. */
const differences = async (): Promise<number[]> => {
  const months = await compareAll(db);
  const count = (table: 'usage_hourly' | 'usage_daily' | 'log_days') => add(months.map((month) => month[table]));
  return [count('usage_hourly'), count('usage_daily'), count('log_days')];
};
const add = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
const requests = async (): Promise<number> => {
  const { total } = await db
    .selectFrom('usage_daily')
    .select(({ fn }) => fn.sum('requests').as('total'))
    .where('project_id', '=', user.projectId)
    .executeTakeFirstOrThrow();
  return Number(total ?? 0);
};
/** The rollups as if nobody had kept them. */
async function spoil(): Promise<void> {
  await db.updateTable('usage_daily').set({ cost_micros: 1 }).execute();
  await db.deleteFrom('usage_hourly').execute();
  await db.deleteFrom('log_days').execute();
}

describe('the parts by month', () => {
  const BOUNDARY = ['2031-01-31T23:59:59.999Z', '2031-02-01T00:00:00Z'];

  it('MET-02: a row lies in the month that it ended in, to the millisecond of UTC; one without a month in the default part', async () => {
    await makeMonth(db, new Date('2031-01-01'));
    await makeMonth(db, new Date('2031-02-01'));
    await write(...BOUNDARY, '2031-03-01T00:00:00Z');
    expect(await places()).toEqual({ usage_rows_2031_01: 1, usage_rows_2031_02: 1, usage_rows_default: 1 });
    await expectAgreement();
  });

  it('MET-02: a month that is made late takes its rows out of the default part, and nothing of what ends meanwhile is lost', async () => {
    await write(...BOUNDARY, '2031-03-01T00:00:00Z');
    expect(await places()).toEqual({ usage_rows_default: 3 });
    await Promise.all([
      ...Array.from({ length: 10 }, () => write(...BOUNDARY)),
      makeMonths(db, new Date('2031-01-15')),
      makeMonths(db, new Date('2031-01-15')),
      ...Array.from({ length: 10 }, () => write(...BOUNDARY)),
    ]);
    expect(await places()).toEqual({ usage_rows_2031_01: 21, usage_rows_2031_02: 21, usage_rows_2031_03: 1 });
    expect(await requests()).toBe(43);
    await expectAgreement();
    // It is known, and made no second time.
    expect(await makeMonth(db, new Date('2031-01-01'))).toBe(false);
  });

  it('MET-02: a part that was attached later tells of its rows and keeps them once, as the others do', async () => {
    await write('2031-01-10T00:00:00Z');
    await makeMonth(db, new Date('2031-01-01'));
    const heard: string[] = [];
    const stop = await served.server.services.database.listen('console_events', (payload) => heard.push(payload ?? ''));
    const once = ended({ project_id: user.projectId, ended_at: new Date('2031-01-20T00:00:00Z') });
    await writeUsage(db, [once]);
    await writeUsage(db, [once]);
    await expect.poll(() => heard.filter((text) => text.includes('log.added'))).toHaveLength(1);
    stop();
    expect(await places()).toEqual({ usage_rows_2031_01: 2 });
  });
});

describe('the rollups', () => {
  beforeEach(async () => {
    await write('2031-01-05T10:00:00Z', '2031-01-31T23:59:59Z', '2031-02-01T00:00:00Z', '2031-03-09T12:00:00Z');
  });

  it.each([
    ['usage_hourly', [4, 0, 0]],
    ['usage_daily', [0, 4, 0]],
  ] as const)('MET-04: a micro-unit too much in %s is found', async (table, found) => {
    await expectAgreement();
    await sql`update ${sql.table(table)} set cost_micros = cost_micros + 1`.execute(db);
    expect(await differences()).toEqual(found);
  });

  it('MET-04: what is missing and what is too much is found, and is right after they were made anew', async () => {
    await spoil();
    const [one] = await db.selectFrom('usage_daily').selectAll().limit(1).execute();
    await db
      .insertInto('usage_daily')
      .values({ ...one!, project_id: randomUUID() })
      .execute();
    expect(await differences()).toEqual([4, 5, 4]);
    await rebuildRollups(db);
    await expectAgreement();
    expect(await db.selectFrom('usage_rebuild').selectAll().execute()).toEqual([]);
  });

  it('MET-04: making them anew loses nothing of what ends meanwhile', async () => {
    await spoil();
    await Promise.all([
      rebuildRollups(db),
      ...Array.from({ length: 20 }, (_, n) => write(`2031-0${1 + (n % 3)}-10T00:00:00Z`)),
      rebuildRollups(db),
    ]);
    expect(await requests()).toBe(24);
    await expectAgreement();
  });

  it('MET-04: after it was stopped, it goes on where it was, with what ended since', async () => {
    await spoil();
    await rebuildRollups(db, AbortSignal.abort());
    expect(await db.selectFrom('usage_rebuild').select('next_month').execute()).toEqual([
      { next_month: new Date('2031-01-01') },
    ]);
    await write('2031-02-10T00:00:00Z');
    await finishRebuild(db);
    expect(await requests()).toBe(5);
    await expectAgreement();
  });

  it('MET-04: one that dies within a month has done nothing of that month, and all of those before', async () => {
    await spoil();
    await sql`create function die() returns trigger language plpgsql as $$ begin
      if new.step >= '2031-02-01' then raise exception 'killed'; end if; return new; end $$`.execute(db);
    await sql`create trigger die before insert on log_days for each row execute function die()`.execute(db);
    await expect(rebuildRollups(db)).rejects.toThrow('killed');
    await sql`drop function die cascade`.execute(db);
    const february = { month: '2031-02', usage_daily: 1, usage_hourly: 1 };
    expect(await compareAll(db)).toMatchObject([february, { month: '2031-03' }]);
    expect(await db.selectFrom('usage_rebuild').select('next_month').execute()).toEqual([
      { next_month: new Date('2031-02-01') },
    ]);
    await finishRebuild(db);
    await expectAgreement();
  });
});
