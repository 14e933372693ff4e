import { Kysely, PostgresDialect, type PostgresPool } from 'kysely';
import pg from 'pg';
import { isSilence } from './away.ts';
import type { Log } from '../log.ts';
import { StartError } from '../start-error.ts';
import { listenOutside } from './listen.ts';
import type { Database, PoolLoad } from './database.ts';
import type { Schema } from './schema.ts';
import { namingPages } from './page.ts';
import { queryWatch } from './watched.ts';

export const CONNECTIONS = 10;
/** Connections for reports, which may take long; they use no others. */
const REPORT_CONNECTIONS = 3;
/** Longest wait for a connection: to open one, or for one in the pool to become free. */
const CONNECT_MS = 10_000;
export const QUERY_SECONDS = 60;
/**
 * The database ends a transaction that sends no query for this long: its machine may be gone while others wait for its
 * locks. Our transactions wait for nothing but the database; only that of a first start also waits for the storage.
 */
const IDLE_MS = 60_000;
/** How much later than the database's own limit this process ends a query. */
const GRACE_MS = 2_000;
/** The oldest usable `server_version_num`: PostgreSQL 15. */
const OLDEST = 150_000;

/**
 * Checks that the database can be used.
 * @throws StartError if it is too old; else the error of the connection or database
 */
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

/** Returns int8 as number (money stays under 2^53) and date as text, like the embedded database. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number;
    return oid === pg.types.builtins.DATE ? String : pg.types.getTypeParser(oid, format);
  },
};

export interface PostgresOptions {
  databaseUrl: string;
  /**
   * Bypasses a pooler that gives connections to other clients after each transaction, for state that outlives one.
   * Undefined without a pooler.
   */
  directUrl?: string | undefined;
  /** The largest number of connections, besides one that listens and those for reports. */
  connections?: number;
  /** Longest time for a query. */
  querySeconds?: number;
  /** Hears of a lost connection that no query reports. */
  log?: Log | undefined;
}

/** Opens a PostgreSQL outside of this process, without running migrations. The first query connects. */
export function openPostgres({
  databaseUrl,
  directUrl,
  connections = CONNECTIONS,
  querySeconds = QUERY_SECONDS,
  log: serverLog,
}: PostgresOptions): Database {
  const pools: BoundedPool[] = [];
  const { watch, log } = queryWatch();
  // Unbounded queries bypass a pooler: they take long, and the migrations' lock belongs to its connection.
  const open = (name: PoolLoad['pool'], max: number, isBounded = true): Kysely<Schema> => {
    const pool = boundedPool(name, {
      connectionString: isBounded ? databaseUrl : (directUrl ?? databaseUrl),
      max,
      types,
      connectionTimeoutMillis: CONNECT_MS,
      // The database ends long queries itself; if it is silent, this process does. A pooler refuses the database's
      // limits.
      ...(isBounded &&
        directUrl === undefined && {
          statement_timeout: querySeconds * 1000,
          idle_in_transaction_session_timeout: IDLE_MS,
        }),
      ...(isBounded && { query_timeout: querySeconds * 1000 + GRACE_MS }),
    });
    pools.push(pool);
    return new Kysely<Schema>({ dialect: namingPages(new PostgresDialect({ pool })), log });
  };
  const listener = listenOutside(
    () =>
      new pg.Client({
        connectionString: directUrl ?? databaseUrl,
        keepAlive: true,
        connectionTimeoutMillis: CONNECT_MS,
        query_timeout: CONNECT_MS,
      }),
    { log: serverLog },
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
        // Close the pools directly: Kysely does not close an unused pool, and would open it for a late query.
        for (const pool of pools) await pool.end();
      })),
  };
}

type BoundedPool = PostgresPool & { load(): PoolLoad };

/** A pool that discards a connection on which a query got no answer: the late answer would go to the next query. */
function boundedPool(name: PoolLoad['pool'], options: pg.PoolConfig): BoundedPool {
  const pool = new pg.Pool(options);
  // The pool replaces a broken idle connection. If the database is really gone, the next query reports it.
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
      // If it breaks while in use, its query reports that.
      const ignore = (): void => undefined;
      client.on('error', ignore);
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
        // Kysely calls it only like this; its type allows cursors, too.
        query: query as never,
        release() {
          client.off('error', ignore);
          client.release(silence !== undefined);
        },
      };
    },
  };
}
