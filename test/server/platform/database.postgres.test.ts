import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#server/platform/db/database.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { freshSettings } from '../databases.ts';

describe('database', () => {
  let database: Database;
  let where: Parameters<typeof openDatabase>[0] & { dataDir: string };
  beforeAll(async () => {
    const { DATA_DIR, DATABASE_URL } = await freshSettings();
    where = { dataDir: DATA_DIR, databaseUrl: DATABASE_URL };
    database = await openDatabase(where);
  });
  afterAll(async () => {
    await database.close();
    await rm(where.dataDir, { recursive: true });
  });

  it('gives bigint as number, date as text, time as Date', async () => {
    const { rows } = await sql`
      select 9007199254740991::bigint as big, '2026-02-28'::date as day,
        '2026-02-28T10:00:00Z'::timestamptz as moment, array['a','b'] as list`.execute(database.db);
    expect(rows).toEqual([
      { big: 9_007_199_254_740_991, day: '2026-02-28', moment: new Date('2026-02-28T10:00:00Z'), list: ['a', 'b'] },
    ]);
  });

  it('takes bytes that are part of a larger buffer', async () => {
    const bytes = Buffer.from('....hello....').subarray(4, 9);
    const { rows } = await sql<{ value: Uint8Array }>`select ${bytes}::bytea as value`.execute(database.db);
    expect(Buffer.from(rows[0]?.value ?? []).toString()).toBe('hello');
  });

  it('tells why it refuses: code and constraint', async () => {
    const insert = () => database.db.insertInto('rate_limits').values({ key: 'twice', arrival_ms: 1 }).execute();
    await insert();
    await expect(insert()).rejects.toMatchObject({
      ...(database.kind === 'embedded' && { name: 'DatabaseError' }),
      code: '23505',
      constraint: 'rate_limits_pkey',
    });
  });

  it('undoes a transaction that fails, and goes on', async () => {
    const failing = database.db.transaction().execute(async (transaction) => {
      await transaction.insertInto('rate_limits').values({ key: 'undone', arrival_ms: 1 }).execute();
      throw new Error('on purpose');
    });
    await expect(failing).rejects.toThrow('on purpose');
    expect(await database.db.selectFrom('rate_limits').selectAll().where('key', '=', 'undone').execute()).toEqual([]);
  });

  it('CON-04: hears notifications also where it began to listen while a transaction ran that was rolled back', async () => {
    const heard: string[] = [];
    let listening: Promise<unknown> = Promise.resolve();
    const undone = database.db.transaction().execute(async (trx) => {
      listening = database.listen('undone', (payload) => heard.push(payload));
      await sql`select 1`.execute(trx);
      throw new Error('rolled back');
    });
    await expect(undone).rejects.toThrow('rolled back');
    await listening;
    await sql`select pg_notify('undone', 'heard')`.execute(database.db);
    await expect.poll(() => heard).toEqual(['heard']);
  });

  it('delivers notifications until told to stop', async () => {
    const heard: string[] = [];
    const stop = await database.listen('news', (payload) => heard.push(payload));
    await sql`select pg_notify('news', 'first')`.execute(database.db);
    await expect.poll(() => heard).toEqual(['first']);
    stop();
    const again: string[] = [];
    await database.listen('news', (payload) => again.push(payload));
    await sql`select pg_notify('news', 'second')`.execute(database.db);
    await expect.poll(() => again).toEqual(['second']);
    expect(heard).toEqual(['first']);
  });

  it('refuses queries once closed, rather than hang', async () => {
    const { DATA_DIR, DATABASE_URL } = await freshSettings();
    const other = await openDatabase({ dataDir: DATA_DIR, databaseUrl: DATABASE_URL });
    await other.close();
    await expect(sql`select 1`.execute(other.db)).rejects.toThrow(/destroyed|closed/);
    expect(existsSync(join(DATA_DIR, 'server.lock'))).toBe(false);
    await rm(DATA_DIR, { recursive: true });
  });
});
