/** Usage rows that are removed for their age: the books and the rollups without them, on both databases. */
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { compareAll, rebuildRollups } from '#server/money/usage/rebuild.ts';
import { endLiveSession } from '#server/money/usage/record.ts';
import { removeOldUsage } from '#server/money/usage/retention.ts';
import type { Db } from '#server/platform/db/database.ts';
import { migrations } from '#server/platform/db/schema.ts';
import { stateOf } from '#server/platform/db/migrate.ts';
import type { TestUser } from '../../harness.ts';
import { ended, forgetUsage, writeUsage } from '../../usage.ts';
import { LIVE_END, liveSession } from './live-session.ts';
import { Served } from '../served.ts';
import { expectRight as expectRightIn, forgetAll } from './usage.ts';
import { removeOrganization } from '../../leaving.ts';
import { unguarded } from '../books.ts';

const served = new Served({}, forgetAll);
let db: Db;
let user: TestUser;
beforeEach(() => {
  ({ db, ada: user } = served);
});

const [JANUARY, MARCH, APRIL] = ['2031-01-10T10:00:00Z', '2031-03-31T23:59:59Z', '2031-04-01T00:00:00Z'];
const end = (moment: string, cost_micros: number | null = 5) =>
  ended({ project_id: user.projectId, ended_at: new Date(moment), cost_micros, processing_ms: 30 });
/** What was older than mid-April goes: January to March. */
const sweep = (batch = 2, before = '2031-04-15T00:00:00Z'): Promise<number> =>
  removeOldUsage({ db, now: new Date(), before: new Date(before), batch, isStopped: () => false });

const left = async (): Promise<string[]> =>
  (await db.selectFrom('usage_rows').select('ended_at').orderBy('ended_at').execute()).map(({ ended_at }) =>
    ended_at.toISOString(),
  );
const pruned = async () =>
  (
    await sql<{
      month: string;
      requests: number;
      cost: number;
    }>`select month::text, requests::int, cost_micros::int as cost
      from pruned_usage where organization_id = ${user.organizationId} order by month`.execute(db)
  ).rows;
/** All that the rollups tell, whatever their slots. */
const told = async () =>
  (
    await sql`select 'hour' as of, step, sum(requests)::int as requests, sum(cost_micros)::int as cost from usage_hourly group by step
      union all select 'day', step, sum(requests)::int, sum(cost_micros)::int from usage_daily group by step order by 1, 2`.execute(
      db,
    )
  ).rows;
const expectRight = () => expectRightIn(db);

describe('OPS-75 usage rows of old months', () => {
  it('OPS-75: go by whole months, with their marks and what the logs were filtered by; reports stay', async () => {
    await writeUsage(db, [end(JANUARY), end(JANUARY, null), end(MARCH), end(APRIL), end('2031-04-20T00:00:00Z')]);
    const before = await told();
    expect(await sweep()).toBe(3);
    expect(await left()).toEqual(['2031-04-01T00:00:00.000Z', '2031-04-20T00:00:00.000Z']);
    expect(await pruned()).toEqual([
      { month: '2031-01-01', requests: 2, cost: 5 },
      { month: '2031-03-01', requests: 1, cost: 5 },
    ]);
    expect(await db.selectFrom('usage_once').select('id').execute()).toHaveLength(2);
    const days = await db.selectFrom('log_days').select('step').execute();
    expect(days.every(({ step }) => step >= new Date(APRIL))).toBe(true);
    expect(days).toHaveLength(2);
    expect(await told()).toEqual(before);
    await expectRight();
    expect(await sweep()).toBe(0);
  });

  it('OPS-75: nothing goes, and no month is lost to the rollups, where all rows are young', async () => {
    await writeUsage(db, [end(APRIL)]);
    expect(await sweep()).toBe(0);
    expect(await db.selectFrom('usage_floor').selectAll().execute()).toEqual([]);
    expect((await stateOf(db, {})).foreign.length).toBeGreaterThan(0);
  });

  it('OPS-75 LED-09: of an organization that is deleted the sums stay, those of its rows among them', async () => {
    await writeUsage(db, [end(JANUARY), end(MARCH), end(APRIL)]);
    await sweep();
    const late = end(JANUARY, 7);
    await writeUsage(db, [late]);
    expect(await removeOrganization(served.server.services, user, new Date(APRIL))).toBe(true);
    expect(await pruned()).toEqual([
      { month: '2031-01-01', requests: 2, cost: 12 },
      { month: '2031-03-01', requests: 1, cost: 5 },
      { month: '2031-04-01', requests: 1, cost: 5 },
    ]);
    expect(await left()).toEqual([]);
    await expectRight();
  });
});

describe('OPS-76 the books', () => {
  it('OPS-76: a row that is lost, and a sum of removed ones that is, are still found', async () => {
    const [one, other] = [end(JANUARY), end(APRIL)];
    await writeUsage(db, [one, other]);
    await sweep();
    await forgetUsage(db, other.request_id);
    const lost = { what: 'day', expected: 0, found: 5 };
    expect(await proveLedger(db)).toMatchObject([lost, { what: 'used', expected: 5, found: 10 }]);
    await unguarded(db, (trx) => trx.deleteFrom('pruned_usage').execute());
    expect(await proveLedger(db)).toMatchObject([lost, { what: 'used', expected: 0, found: 10 }]);
  });

  it('OPS-76: what ends late in a month whose rows are gone is charged once, and goes with the next sweep', async () => {
    await writeUsage(db, [end(JANUARY)]);
    await sweep();
    const late = end(JANUARY, 7);
    await writeUsage(db, [late]);
    await writeUsage(db, [late]);
    await expectRight();
    expect(await sweep()).toBe(1);
    expect(await pruned()).toEqual([{ month: '2031-01-01', requests: 2, cost: 12 }]);
    await expectRight();
  });

  it('OPS-76: sweeps at once, beside requests that end, lose nothing and count nothing twice', async () => {
    const old = Array.from({ length: 12 }, (_, n) => end(n % 2 === 0 ? JANUARY : MARCH));
    await writeUsage(db, old);
    const more = Array.from({ length: 8 }, (_, n) => end(n % 2 === 0 ? APRIL : MARCH));
    await Promise.all([sweep(3), ...more.map((one) => writeUsage(db, [one])), sweep(2), sweep(5)]);
    await sweep();
    expect(await left()).toHaveLength(4);
    expect((await pruned()).reduce((sum, { requests }) => sum + requests, 0)).toBe(16);
    await expectRight();
  });

  it('OPS-76: a session that was taken for dead is not billed twice when its process tells after its row is gone', async () => {
    const at = new Date(JANUARY);
    const id = await liveSession(db, user, { started_at: at, ended_at: at, status: 'aborted', taken_for_dead: true });
    await writeUsage(db, [{ ...end(JANUARY), id, kind: 'real_time' }]);
    await sweep();
    await endLiveSession(db, id, { ...LIVE_END, at });
    expect(await left()).toEqual([]);
    await expectRight();
  });
});

describe('OPS-77 the rollups', () => {
  it('OPS-77: made anew, those of old months stay as they were, and the others are right', async () => {
    await writeUsage(db, [end(JANUARY), end(MARCH), end(APRIL)]);
    const before = await told();
    await sweep();
    await db.updateTable('usage_daily').set({ cost_micros: 1 }).where('step', '>=', new Date(APRIL)).execute();
    expect(await compareAll(db)).toEqual([{ month: '2031-04', usage_hourly: 0, usage_daily: 1, log_days: 0 }]);
    await rebuildRollups(db);
    expect(await told()).toEqual(before);
    await expectRight();
  });

  it('OPS-77: one that was begun before the rows went leaves out their months', async () => {
    await writeUsage(db, [end(JANUARY), end(APRIL)]);
    const before = await told();
    await rebuildRollups(db, AbortSignal.abort());
    await sweep();
    await rebuildRollups(db);
    expect(await told()).toEqual(before);
    expect(await db.selectFrom('usage_rebuild').selectAll().execute()).toEqual([]);
  });

  it('OPS-77: where all months are old, nothing is made anew, and that is no difference', async () => {
    await writeUsage(db, [end(JANUARY)]);
    const before = await told();
    await sweep();
    await rebuildRollups(db);
    expect(await told()).toEqual(before);
    await expectRight();
  });

  it('OPS-77: beside a sweep they are made anew from all rows of a month, or not at all', async () => {
    await writeUsage(
      db,
      Array.from({ length: 9 }, (_, n) => end(`2031-0${1 + (n % 4)}-10T00:00:00Z`)),
    );
    const before = await told();
    await Promise.all([rebuildRollups(db), sweep(1), rebuildRollups(db), sweep(2)]);
    expect(await told()).toEqual(before);
    await expectRight();
  });

  it('OPS-77: the floor never sinks, should rows be kept for longer again', async () => {
    await writeUsage(db, [end(JANUARY), end(MARCH)]);
    await sweep();
    await writeUsage(db, [end(JANUARY)]);
    await sweep(2, '2031-02-15T00:00:00Z');
    const { from_month } = await db.selectFrom('usage_floor').select('from_month').executeTakeFirstOrThrow();
    expect(from_month).toEqual(new Date(APRIL));
  });

  it('OPS-77: a version that does not know of removed rows does not work on such a database', async () => {
    await writeUsage(db, [end(JANUARY)]);
    const { '0036-retention': _own, ...older } = migrations;
    await expect(stateOf(db, older)).resolves.toMatchObject({ pending: [] });
    await sweep();
    await expect(stateOf(db, older)).rejects.toThrow('0036-retention');
  });
});
