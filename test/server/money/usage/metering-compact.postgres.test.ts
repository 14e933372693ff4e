/** The slots of the rollups: put together when their hour or day is over, whoever counts meanwhile, and never waited for. */
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { compactRollups } from '#server/money/usage/compact.ts';
import { compareRollups } from '#server/money/usage/rebuild.ts';
import { ROLLUPS } from '#server/money/usage/rollup.ts';
import { removeOrganization } from '../../leaving.ts';
import { ended, writeUsage } from '../../usage.ts';
import { Served } from '../served.ts';

const SAME = { usage_hourly: 0, usage_daily: 0, log_days: 0 };
const NOW = new Date('2031-03-02T12:30:00Z');
const served = new Served();
const db = () => served.db;

const write = (moment: string, user = served.ada): Promise<void> =>
  writeUsage(db(), [
    ended({ project_id: user.projectId, ended_at: new Date(moment), cost_micros: 7, queue_ms: 40, processing_ms: 900 }),
  ]);
/** As connections of many processes leave it: each sum in eight parts. */
async function spread(): Promise<void> {
  for (const table of ROLLUPS) {
    const { rows } = await sql<{
      names: string;
    }>`select string_agg(attname, ',' order by attnum) as names from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and attname <> 'slot'`.execute(db());
    const columns = sql.raw(rows[0]?.names ?? '');
    await sql`insert into ${sql.table(table)} (slot, ${columns})
      select 10 + nth, ${columns} from ${sql.table(table)} cross join generate_series(1, 8) as nth
      where project_id = ${served.ada.projectId}`.execute(db());
  }
}
/** Slots by step, of the user's project. */
const slots = async (table: (typeof ROLLUPS)[number]) =>
  (
    await db()
      .selectFrom(table)
      .select(['step', 'slot'])
      .where('project_id', '=', served.ada.projectId)
      .orderBy('step')
      .execute()
  ).map(({ step, slot }) => [step.toISOString(), slot]);
async function sums(table: 'usage_hourly' | 'usage_daily') {
  const { rows } = await sql`select sum(requests)::int as requests, sum(cost_micros)::int as cost,
      (select sum(count)::int from ${sql.table(table)} cross join unnest(processing) as count
        where project_id = ${served.ada.projectId}) as processing
    from ${sql.table(table)} where project_id = ${served.ada.projectId}`.execute(db());
  return rows[0];
}

describe('slots of the rollups', () => {
  it('MET-09: hours and days that are over have one row of each sum, which is what it was; what goes on is left', async () => {
    await write('2031-03-01T10:00:00Z');
    await write('2031-03-02T11:30:00Z');
    await write('2031-03-02T12:00:00Z');
    await spread();
    await compactRollups(db(), NOW);
    const hours = await slots('usage_hourly');
    expect(hours.filter(([step]) => step !== '2031-03-02T12:00:00.000Z')).toEqual([
      ['2031-03-01T10:00:00.000Z', 0],
      ['2031-03-02T11:00:00.000Z', 0],
    ]);
    expect(hours).toHaveLength(2 + 9);
    for (const table of ['usage_daily', 'log_days'] as const) {
      const days = await slots(table);
      expect(days.filter(([step]) => step === '2031-03-01T00:00:00.000Z')).toEqual([['2031-03-01T00:00:00.000Z', 0]]);
      expect(days).toHaveLength(1 + 9);
    }
    for (const table of ['usage_hourly', 'usage_daily'] as const)
      expect(await sums(table)).toEqual({ requests: 27, cost: 27 * 7, processing: 27 });
    // What ends late is added to what was put together.
    await write('2031-03-01T10:59:59Z');
    await compactRollups(db(), NOW);
    expect(await slots('log_days')).toHaveLength(1 + 9);
    expect(await sums('usage_hourly')).toEqual({ requests: 28, cost: 28 * 7, processing: 28 });
  });

  it('MET-09: nothing of what ends meanwhile is lost or counted twice, and nobody waits for ever', async () => {
    const ben = await served.server.createUser();
    // Of a month whose sums nobody has spread.
    const later = new Date('2031-04-03T12:00:00Z');
    // That a row was held for too long is all that may be in its way.
    const compact = () =>
      compactRollups(db(), later).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === '55P03')) throw error;
      });
    await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        await write(`2031-04-0${1 + (n % 2)}T0${n % 3}:00:00Z`, n % 5 === 0 ? ben : served.ada);
        await compact();
      }),
    );
    await Promise.all([compact(), removeOrganization(served.server.services, ben, later), compact()]);
    await compactRollups(db(), later);
    expect(await compareRollups(db(), later)).toEqual(SAME);
    expect(await sums('usage_daily')).toEqual({ requests: 24, cost: 24 * 7, processing: 24 });
    expect((await slots('usage_hourly')).filter(([, slot]) => slot !== 0)).toEqual([]);
  });
});
