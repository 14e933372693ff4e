import { sql, type Migration } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrate, requireMigrated, stateOf, type Migrations } from '#server/platform/db/migrate.ts';
import { migrations } from '#server/platform/db/schema.ts';
import { openBareDatabase } from '../databases.ts';

const adds = (table: string): Migration => ({
  up: async (db) => {
    await db.schema.createTable(table).addColumn('id', 'integer').execute();
  },
});
const contracts = (name: string): Migration => ({
  up: async (db) => {
    await sql`insert into required_migrations values (${name})`.execute(db);
  },
});
/** What two releases know: the later one has two migrations more. */
const later: Migrations = { ...migrations, '9001-wider': adds('wider'), '9002-other': adds('other') };

let database: Awaited<ReturnType<typeof openBareDatabase>>;
beforeAll(async () => {
  database = await openBareDatabase();
});
afterAll(() => database.close());
// To make a new one would take longer than the tests.
beforeEach(async () => {
  await sql`drop schema public cascade`.execute(database.db);
  await sql`create schema public`.execute(database.db);
});

describe('migrations', () => {
  it('OPS-20: run once, in order, and say which have run', async () => {
    const { db } = database;
    expect(await migrate(db)).toEqual(Object.keys(migrations));
    expect(await migrate(db)).toEqual([]);
    expect(await migrate(db, later)).toEqual(['9001-wider', '9002-other']);
  });

  it('OPS-20: a version starts beside a newer one that has only added, and adds what it has itself', async () => {
    const { db } = database;
    await migrate(db, later);
    expect(await migrate(db)).toEqual([]);
    expect(await stateOf(db)).toEqual({ pending: [], foreign: ['9001-wider', '9002-other'] });
    // One that was made beside the newer ones, and has a name before theirs.
    expect(await migrate(db, { ...migrations, '9000-beside': adds('beside') })).toEqual(['9000-beside']);
    expect(await migrate(db, { ...later, '9000-beside': adds('beside') })).toEqual([]);
  });

  it('OPS-20: a version does not start where a newer one has taken away what it needs', async () => {
    const { db } = database;
    const contracted: Migrations = { ...later, '9003-narrower': contracts('9003-narrower') };
    await migrate(db, contracted);
    expect(await migrate(db, contracted)).toEqual([]);
    const refusal =
      'The database needs a newer version of this server (it has 9003-narrower). Start that version or a later one, or put back a backup from before.';
    await expect(migrate(db, later)).rejects.toThrow(refusal);
    await expect(requireMigrated(db, later)).rejects.toThrow(refusal);
  });

  it('OPS-21: a server that leaves them to npm run migrate says which are missing, and starts once there are none', async () => {
    const { db } = database;
    await expect(requireMigrated(db)).rejects.toThrow(
      `The database lacks ${Object.keys(migrations).length} migrations of this version (0001-core,`,
    );
    await migrate(db);
    await expect(requireMigrated(db, { ...migrations, '9001-wider': adds('wider') })).rejects.toThrow(
      'The database lacks a migration of this version (9001-wider). Run npm run migrate, or set MIGRATE_ON_START to on.',
    );
    expect(await stateOf(db)).toEqual({ pending: [], foreign: [] });
    await requireMigrated(db);
  });

  it('OPS-20: are tried again where they and a server that runs on wait for each other', async () => {
    let tries = 0;
    const up = async () => {
      tries += 1;
      if (tries < 3) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
    };
    expect(await migrate(database.db, { '9001-locks': { up } })).toEqual(['9001-locks']);
    expect(tries).toBe(3);
  });

  it('OPS-20: what fails changes nothing, and is tried again', async () => {
    const { db } = database;
    await migrate(db);
    const broken: Migrations = {
      ...migrations,
      '9001-broken': {
        up: async (trx) => {
          await adds('half').up(trx);
          throw new Error('on purpose');
        },
      },
    };
    await expect(migrate(db, broken)).rejects.toThrow('on purpose');
    expect(await stateOf(db, broken)).toEqual({ pending: ['9001-broken'], foreign: [] });
    expect(await migrate(db, { ...migrations, '9001-broken': adds('half') })).toEqual(['9001-broken']);
  });
});
