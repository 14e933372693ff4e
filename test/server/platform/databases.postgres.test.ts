import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { databaseKind, openBorrowedDatabase } from '../databases.ts';

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
