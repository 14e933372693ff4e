import { rm } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#server/platform/db/database.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { freshDataDir } from '../template.ts';

describe('embedded database', () => {
  let database: Database;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await freshDataDir();
    database = await openDatabase({ dataDir });
  });
  afterAll(async () => {
    await database.close();
    await rm(dataDir, { recursive: true });
  });

  // One connection, for which the query waits.
  it('keeps other queries out of a transaction', async () => {
    const order: string[] = [];
    let inside = (): void => {};
    const started = new Promise<void>((resolve) => {
      inside = resolve;
    });
    const transaction = database.db.transaction().execute(async (db) => {
      await db.insertInto('rate_limits').values({ key: 'isolated', arrival_ms: 1 }).execute();
      inside();
      for (let round = 0; round < 5; round += 1) await sql`select ${round}::int`.execute(db);
      order.push('transaction');
    });
    await started;
    const outside = database.db
      .selectFrom('rate_limits')
      .selectAll()
      .where('key', '=', 'isolated')
      .execute()
      .then((rows) => {
        order.push('query');
        return rows.length;
      });
    await transaction;
    expect([await outside, order]).toEqual([1, ['transaction', 'query']]);
  });

  it('DAT-01 does not let a second server into the directory', async () => {
    await expect(openDatabase({ dataDir })).rejects.toThrow(
      `The data directory ${dataDir} is in use by another server (process ${process.pid}).`,
    );
    expect(await sql`select 1 as one`.execute(database.db)).toMatchObject({ rows: [{ one: 1 }] });
  });
});
