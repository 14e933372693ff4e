import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { StartError } from '../start-error.ts';
import { listenOutside } from './listen.ts';
import type { Database } from './database.ts';
import type { Schema } from './schema.ts';

const CONNECTIONS = 10;
/** How long the first connection may take. Later ones wait in line for as long as there is work. */
const CONNECT_MS = 10_000;
/** Of PostgreSQL, as it tells it: 15. */
const OLDEST = 150_000;

/** Finds out whether the database can be used at all. @throws StartError when it is too old; else what the way there, or the database, refuses with */
export async function probePostgres(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS });
  try {
    await client.connect();
    const { rows } = await client.query<{ version: number }>(
      `select current_setting('server_version_num')::int as version`,
    );
    const version = rows[0]?.version ?? 0;
    if (version < OLDEST)
      throw new StartError(
        `The database at DATABASE_URL is PostgreSQL ${Math.floor(version / 10_000)}. Use version ${OLDEST / 10_000} or newer.`,
      );
  } finally {
    await client.end();
  }
}

/** int8 as number (money stays under 2^53) and date as text, the same as the embedded database gives them. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number;
    return oid === pg.types.builtins.DATE ? String : pg.types.getTypeParser(oid, format);
  },
};

/** A PostgreSQL outside of this process, as it is: its tables are not brought up to date. The first query connects. */
export function openPostgres(connectionString: string): Database {
  const pool = new pg.Pool({ connectionString, max: CONNECTIONS, types });
  // An idle connection that breaks is replaced by the pool; the next query tells if the database is really gone.
  pool.on('error', () => undefined);
  const listener = listenOutside(
    () =>
      new pg.Client({
        connectionString,
        keepAlive: true,
        connectionTimeoutMillis: CONNECT_MS,
        query_timeout: CONNECT_MS,
      }),
  );
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  let closed: Promise<void> | undefined;
  return {
    kind: 'postgres',
    db,
    listen: listener.listen,
    close: () => (closed ??= listener.close().then(() => db.destroy())),
  };
}
