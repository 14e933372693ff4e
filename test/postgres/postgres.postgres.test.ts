/** What only a real PostgreSQL can show: several servers. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Database } from '#server/platform/db/database.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { openPostgres } from '#server/platform/db/postgres.ts';
import { createPostgres } from '../server/databases.ts';

it('DAT-12 is brought up to date once, also by several servers that start at the same time', async () => {
  const applied = ({ db }: Database) => sql`select name from kysely_migration order by name`.execute(db);
  const empty = await createPostgres('template0');
  const several = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ databaseUrl: empty })));
  const { rows } = await applied(several[0]!);
  expect(rows.length).toBeGreaterThan(4);
  for (const each of several) {
    expect((await applied(each)).rows).toEqual(rows);
    await each.close();
  }
});

it('OPS-31 OPS-33: ends transactions that ask nothing for a minute, not those that may take long; no pooler is told to', async () => {
  const databaseUrl = await createPostgres();
  const idle = async (directUrl?: string): Promise<string[]> => {
    const { db, reports, patient, close } = openPostgres({ databaseUrl, directUrl });
    const told = [db, reports, patient].map(async (one) => {
      const { rows } = await sql<{
        is: string;
      }>`select current_setting('idle_in_transaction_session_timeout') as "is"`.execute(one);
      return rows[0]?.is ?? '';
    });
    try {
      return await Promise.all(told);
    } finally {
      await close();
    }
  };
  expect(await idle()).toEqual(['1min', '1min', '0']);
  expect(await idle(databaseUrl)).toEqual(['0', '0', '0']);
});
