import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Database } from '#server/platform/db/database.ts';
import { borrowDatabase, databaseKind, openBorrowedDatabase } from '../databases.ts';

/** Writes an organization; gives its place among all that were written. */
async function addOrganization({ db }: Database): Promise<number> {
  const values = {
    id: randomUUID(),
    name: 'o',
    contact_email: 'o@example.com',
    feature_flags: [],
    created_at: new Date(),
  };
  return (await db.insertInto('organizations').values(values).returning('position').executeTakeFirstOrThrow()).position;
}
const names = ({ db }: Database) => db.selectFrom('organizations').select('name').execute();

it('a database that was given back is as new, and out of reach of who had it', async () => {
  const before = await openBorrowedDatabase();
  const heard: string[] = [];
  await before.listen('news', (payload) => heard.push(payload));
  await addOrganization(before);
  await sql`begin`.execute(before.db);
  await addOrganization(before);
  await before.close();
  await before.close();

  const next = await openBorrowedDatabase();
  expect(await names(next)).toEqual([]);
  expect(await addOrganization(next)).toBe(1);
  await expect(names(before)).rejects.toThrow('The database has been closed.');
  const news: string[] = [];
  await next.listen('news', (payload) => news.push(payload));
  await sql`select pg_notify('news', 'fresh')`.execute(next.db);
  await expect.poll(() => news).toEqual(['fresh']);
  expect(heard).toEqual([]);
  await next.close();
});

it('DAT-12 the tests have the database that they were started for', async () => {
  const database = await openBorrowedDatabase();
  const { rows } = await sql<{ address: string | null }>`select inet_server_addr()::text as address`.execute(
    database.db,
  );
  // Only a real server has an address.
  expect([database.kind, rows]).toEqual([
    databaseKind,
    [{ address: databaseKind === 'postgres' ? '127.0.0.1/32' : null }],
  ]);
  await database.close();
});

it('one that is opened again for the next server holds what the last one wrote, but no transaction of it', async () => {
  const borrowed = await borrowDatabase();
  const first = borrowed.open();
  await addOrganization(first);
  await sql`begin`.execute(first.db);
  await addOrganization(first);
  await first.close();
  const second = borrowed.open();
  expect(await names(second)).toHaveLength(1);
  await second.close();
  await borrowed.giveBack();
});
