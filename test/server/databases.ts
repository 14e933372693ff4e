/** Open databases for test servers. Opening one takes a second, emptying one a moment: so a closed server's goes to the next of the same process. */
import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { pgliteDialect } from '#server/db/dialect.ts';
import { DATABASE_FOLDER, type Database } from '#server/db/open.ts';
import { PgliteHost } from '#server/db/pglite.ts';
import type { Schema } from '#server/db/schema.ts';
import { freshDataDir } from './template.ts';

export interface BorrowedDatabase {
  /** Opens it for one server; closing leaves what is in it, so that the next one can be opened on that. */
  open(): Database;
  /** Empties it. Nothing of it may be open any more. */
  giveBack(): Promise<void>;
}

const free: PgliteHost[] = [];

/** A migrated, empty database, in a thread that others used before. */
export async function borrowDatabase(): Promise<BorrowedDatabase> {
  const host = await take();
  return {
    open: () => connect(host, async () => {}),
    giveBack: () => giveBack(host),
  };
}

/** The same for a single server: closing gives it back. */
export async function openBorrowedDatabase(): Promise<Database> {
  const host = await take();
  return connect(host, () => giveBack(host));
}

const take = async (): Promise<PgliteHost> => free.pop() ?? PgliteHost.open(join(await freshDataDir(), DATABASE_FOLDER));

function connect(host: PgliteHost, closing: () => Promise<void>): Database {
  const stops: (() => void)[] = [];
  let closed: Promise<void> | undefined;
  return {
    kind: 'embedded',
    db: kysely(async (text, parameters) => {
      if (closed !== undefined) throw new Error('The database has been closed.');
      return host.query(text, parameters);
    }),
    async listen(channel, callback) {
      const stop = await host.listen(channel, callback);
      stops.push(stop);
      return stop;
    },
    close: () => closed ??= (async () => {
      for (const stop of stops) stop();
      // A transaction that was going on ends with its server.
      await host.query('rollback', []);
      await closing();
    })(),
  };
}

/** Leaves no rows, and identities that count from 1. */
async function giveBack(host: PgliteHost): Promise<void> {
  const db = kysely((text, parameters) => host.query(text, parameters));
  const { rows } = await sql<{ tablename: string }>`select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'`.execute(db);
  await sql`truncate ${sql.join(rows.map(({ tablename }) => sql.table(tablename)))} restart identity`.execute(db);
  free.push(host);
}

const kysely = (query: PgliteHost['query']): Kysely<Schema> => new Kysely<Schema>({ dialect: pgliteDialect({ query, close: async () => {} }) });
