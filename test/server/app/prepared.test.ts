/** Statements that the embedded database keeps parsed and planned, while tables change under them. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DATABASE_FOLDER } from '#server/platform/data-dir.ts';
import { PgliteHost } from '#server/platform/db/pglite.ts';
import { freshDataDir } from '../template.ts';

let host: PgliteHost;
let dataDir: string;
beforeAll(async () => {
  dataDir = await freshDataDir();
  host = await PgliteHost.open(join(dataDir, DATABASE_FOLDER));
});
afterAll(async () => {
  await host.close();
  await rm(dataDir, { recursive: true });
});
beforeEach(async () => {
  await host.query('drop table if exists things', []);
  await host.query('create table things (id integer, what text)', []);
  await host.query('insert into things values ($1, $2)', [1, 'one']);
});

const find = async (): Promise<unknown[]> => (await host.query('select * from things where id = $1', [1])).rows;
const kept = async (): Promise<{ uses: number }[]> =>
  (
    await host.query(
      "select (generic_plans + custom_plans)::int as uses from pg_prepared_statements where statement like '%from things%' order by 1",
      [],
    )
  ).rows as { uses: number }[];

describe('PRF-05: a statement of the embedded database', () => {
  it('is parsed once, however often and by how many it is asked', async () => {
    for (const all of await Promise.all(Array.from({ length: 20 }, find)))
      expect(all).toEqual([{ id: 1, what: 'one' }]);
    expect(await kept()).toEqual([{ uses: 20 }]);
  });

  it('sees tables that have changed, and that are changed back', async () => {
    await find();
    await host.query('alter table things add column more integer', []);
    expect(await find()).toEqual([{ id: 1, what: 'one', more: null }]);
    await host.query('begin', []);
    await host.query('alter table things alter column what type jsonb using to_jsonb(what)', []);
    await host.query('insert into things (id, what) values ($1, $2)', [2, { two: 2 }]);
    await find();
    await host.query('rollback', []);
    expect(await find()).toEqual([{ id: 1, what: 'one', more: null }]);
    await host.query('insert into things (id, what) values ($1, $2)', [2, 'two']);
    expect((await host.query('select what from things where id = $1', [2])).rows).toEqual([{ what: 'two' }]);
  });

  it('that fails is asked anew, and spoils no other', async () => {
    const bad = (): Promise<unknown> => host.query('select nothing from things where id = $1', [1]);
    await expect(bad()).rejects.toThrow('column "nothing" does not exist');
    await host.query('alter table things rename column what to nothing', []);
    expect(await bad()).toMatchObject({ rows: [{ nothing: 'one' }] });
    await host.query('commit', []);
    await host.query('begin', []);
    await expect(host.query('select 1 / $1::int', [0])).rejects.toThrow('division by zero');
    await expect(host.query('select id from things where id = $1', [1])).rejects.toThrow('transaction is aborted');
    await host.query('rollback', []);
    expect((await host.query('select id from things where id = $1', [1])).rows).toEqual([{ id: 1 }]);
  });

  it('goes for another one, where there are many: the one that was used longest ago', async () => {
    await find();
    for (let number = 0; number < 400; number += 1) {
      expect((await host.query(`select ${number} as it from things where id = $1`, [1])).rows).toEqual([
        { it: number },
      ]);
      if (number % 100 === 0) await find();
    }
    const all = await kept();
    expect(all).toHaveLength(300);
    expect(all.at(-1)).toEqual({ uses: 5 });
  });
});
