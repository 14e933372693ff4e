import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { listenOutside } from './listen.ts';
import type { Database } from './open.ts';
import type { Schema } from './schema.ts';

const CONNECTIONS = 10;

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
  const listener = listenOutside(() => new pg.Client({ connectionString }));
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  let closed: Promise<void> | undefined;
  return {
    kind: 'postgres',
    db,
    listen: listener.listen,
    close: () => closed ??= listener.close().then(() => db.destroy()),
  };
}
