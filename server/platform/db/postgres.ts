import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import { isSilence } from './away.ts';
import { StartError } from '../start-error.ts';
import { listenOutside } from './listen.ts';
import type { Database, PoolLoad } from './database.ts';
import type { Schema } from './schema.ts';
import { queryWatch } from './watched.ts';

export const CONNECTIONS = 10;
/** For reports, which may take long: however many are asked for, the rest goes on. */
const REPORT_CONNECTIONS = 3;
/** How long a connection may take, be it to the database or in line for one that others use. */
const CONNECT_MS = 10_000;
export const QUERY_SECONDS = 60;
/** After how long the database ends a transaction that asks nothing: its machine may be gone, and others wait for what it holds. Ours wait for nothing but the database, and that of a first start for the storage. */
const IDLE_MS = 60_000;
/** What the database itself is late in ending a query. */
const GRACE_MS = 2_000;
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

export interface PostgresOptions {
  databaseUrl: string;
  /** Past a pooler that hands a connection to another client after each transaction: for what outlives one. Undefined: there is none between. */
  directUrl?: string | undefined;
  /** At most, beside one that listens and those for reports. */
  connections?: number;
  /** The longest that a query may take. */
  querySeconds?: number;
}

/** A PostgreSQL outside of this process, as it is: its tables are not brought up to date. The first query connects. */
export function openPostgres({
  databaseUrl,
  directUrl,
  connections = CONNECTIONS,
  querySeconds = QUERY_SECONDS,
}: PostgresOptions): Database {
  const pools: BoundedPool[] = [];
  const { watch, log } = queryWatch();
  // What is not bounded goes past a pooler: it takes long, and the lock of migrations belongs to its connection.
  const open = (name: PoolLoad['pool'], max: number, isBounded = true): Kysely<Schema> => {
    const pool = boundedPool(name, {
      connectionString: isBounded ? databaseUrl : (directUrl ?? databaseUrl),
      max,
      types,
      connectionTimeoutMillis: CONNECT_MS,
      // The database ends it itself; where it is silent, this process does. A pooler refuses the former at the start of a connection.
      ...(isBounded &&
        directUrl === undefined && {
          statement_timeout: querySeconds * 1000,
          idle_in_transaction_session_timeout: IDLE_MS,
        }),
      ...(isBounded && { query_timeout: querySeconds * 1000 + GRACE_MS }),
    });
    pools.push(pool);
    return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }), log });
  };
  const listener = listenOutside(
    () =>
      new pg.Client({
        connectionString: directUrl ?? databaseUrl,
        keepAlive: true,
        connectionTimeoutMillis: CONNECT_MS,
        query_timeout: CONNECT_MS,
      }),
  );
  const [db, reports, patient] = [
    open('queries', connections),
    open('reports', REPORT_CONNECTIONS),
    open('patient', 1, false),
  ];
  let closed: Promise<void> | undefined;
  return {
    kind: 'postgres',
    db,
    reports,
    patient,
    listen: listener.listen,
    watch,
    load: () => pools.map((pool) => pool.load()),
    close: () =>
      (closed ??= listener.close().then(async () => {
        // Kysely itself closes none that no query has asked for, and would open it for a late one.
        for (const pool of pools) await pool.end();
      })),
  };
}

type BoundedPool = PostgresPool & { load(): PoolLoad };

/** A pool that gives up a connection on which an answer did not come: it would come to a question of somebody else. */
function boundedPool(name: PoolLoad['pool'], options: pg.PoolConfig): BoundedPool {
  const pool = new pg.Pool(options);
  // An idle connection that breaks is replaced by the pool; the next query tells if the database is really gone.
  pool.on('error', () => undefined);
  let ended: Promise<void> | undefined;
  return {
    end: () => (ended ??= pool.end()),
    load: () => ({
      pool: name,
      connections: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async connect() {
      if (ended !== undefined) throw new Error('The database has been closed.');
      const client = await pool.connect();
      // One that breaks while it is in use tells its query.
      const heard = (): void => undefined;
      client.on('error', heard);
      let silence: unknown;
      const query = async (text: string, parameters: readonly unknown[]): Promise<pg.QueryResult> => {
        if (silence !== undefined) throw silence;
        try {
          return await client.query(text, [...parameters]);
        } catch (error) {
          if (isSilence(error)) silence = error;
          throw error;
        }
      };
      return {
        // Kysely asks in this way only; its type knows cursors, too.
        query: query as never,
        release() {
          client.off('error', heard);
          client.release(silence !== undefined);
        },
      };
    },
  };
}
