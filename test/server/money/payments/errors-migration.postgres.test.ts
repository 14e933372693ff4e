import { randomUUID } from 'node:crypto';
import { Migrator, sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '#server/platform/db/migrations/index.ts';
import { openBareDatabase } from '../../databases.ts';

const NOW = new Date('2026-05-20T12:00:00Z');

it('BIX-07: what had stopped autopay before there was a column for it is told by its kind', async () => {
  const { db, close } = await openBareDatabase();
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  expect((await migrator.migrateTo('0027-required-migrations')).error).toBeUndefined();
  const said = [
    ['The card was declined.', 'declined'],
    [
      'The payment provider has not said whether the last charge went through. Until it does, nothing else is charged.',
      'unknown',
    ],
    ['A payment was refunded. So that it is not charged again at once, autopay waits for a reset.', 'refunded'],
    ['A payment was disputed with the bank. Autopay waits for a reset.', 'disputed'],
    [null, null],
  ] as const;
  const all = said.map(([message, why]) => ({ id: randomUUID(), message, why }));
  for (const { id, message } of all) {
    await sql`insert into organizations (id, name, contact_email, created_at) values (${id}, 'O', 'a@example.com', ${NOW})`.execute(
      db,
    );
    await sql`update accounts set error_message = ${message}::text,
      error_at = case when ${message}::text is null then null else ${NOW}::timestamptz end where organization_id = ${id}`.execute(
      db,
    );
  }
  expect((await migrator.migrateToLatest()).error).toBeUndefined();
  const { rows } = await sql<{
    id: string;
    why: string | null;
  }>`select organization_id as id, error_why as why from accounts`.execute(db);
  const whys = new Map(rows.map(({ id, why }) => [id, why]));
  expect(all.map(({ id }) => whys.get(id))).toEqual(all.map(({ why }) => why));
  await close();
});
