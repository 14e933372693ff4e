/** A backup goes from one kind of database to the other. */
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { readManifest } from '#server/app/backup/format.ts';
import { mayLackPayments } from '#server/money/payments/past.ts';
import { loadConfig } from '#server/platform/config.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { backUp, emptyPlace, newFolder, newPlace, restore, serve } from '../faults/backup.ts';
import { createPostgres } from '../server/databases.ts';
import { uploaded } from '../server/speech-api/harness.ts';
import { writeProcess } from './process-row.ts';
import { isWaiting } from './waiting.ts';

// Databases are made: on a busy machine they take their time.
vi.setConfig({ testTimeout: 240_000 });

it('OPS-86 RCP-07: a PostgreSQL is restored into an embedded database, and that into a PostgreSQL', async () => {
  const settings = await newPlace();
  const server = await serve(settings);
  const user = await server.createUser();
  const recording = (await uploaded(server, user)).id;
  const whole = join(newFolder('backup'), 'whole');
  await backUp(settings, whole);

  const embedded = { DATA_DIR: newFolder('data'), SECRET_KEY: settings['SECRET_KEY'] ?? '' };
  await restore(embedded, whole, { isMoved: true });
  const again = join(newFolder('backup'), 'again');
  const [there, back] = [await backUp(embedded, again), await readManifest(whole)];
  expect({ ...there, database: '', taken_at: '', sums: '' }).toEqual({
    ...back,
    database: '',
    taken_at: '',
    sums: '',
  });
  const place = { ...(await emptyPlace()), DATABASE_URL: await createPostgres('template0') };
  await restore(place, again);
  const database = await openDatabase(loadConfig(place));
  const [wanted, found] = await Promise.all(
    [server.services.db, database.db].map(async (db) => ({
      users: await db.selectFrom('users').selectAll().where('id', '=', user.userId).execute(),
      entries: await db
        .selectFrom('ledger_entries')
        .selectAll()
        .where('organization_id', '=', user.organizationId)
        .execute(),
      files: await db.selectFrom('files').selectAll().where('id', '=', recording).execute(),
    })),
  );
  expect(found).toEqual(wanted);
  // Nothing was charged since, but that is for the payment provider to say.
  expect(await mayLackPayments(database.db)).toBe(true);
  const ended = await database.db.selectFrom('receipt_series').select('ended_at').execute();
  expect(ended).toEqual([{ ended_at: expect.any(Date) }]);
  // Identities go on where they were.
  const next = await sql<{ at: number }>`select nextval(pg_get_serial_sequence('files', 'position')) as at`.execute(
    database.db,
  );
  await Promise.all([database.close(), server.close()]);
  expect(next.rows[0]?.at).toBeGreaterThan(wanted?.files[0]?.position ?? Infinity);
});

it('OPS-84: servers that have come while the recordings were put back keep their database', async () => {
  const settings = await newPlace();
  const server = await serve(settings);
  await server.createUser();
  await uploaded(server, await server.createUser());
  const whole = join(newFolder('backup'), 'whole');
  await backUp(settings, whole);
  await server.close();

  const place = await newPlace();
  const database = await openDatabase(loadConfig(place));
  let outcome: Promise<unknown> | undefined;
  await database.db.transaction().execute(async (trx) => {
    // Nobody sees the server before this transaction ends.
    await writeProcess(trx);
    outcome = restore(place, whole, { mayReplace: true }).catch(String);
    await Promise.race([outcome, isWaiting(database)]);
  });
  expect(await outcome).toMatch('Servers work on the database');
  expect(await database.db.selectFrom('users').select('id').execute()).toEqual([]);
  await database.close();
});
