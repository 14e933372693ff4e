/** What only a real PostgreSQL can show: several servers. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Database } from '#server/platform/db/database.ts';
import { openDatabase } from '#server/platform/db/open.ts';
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
