import {
  CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { namingPages } from './page.ts';
import type { PgliteHost } from './pglite.ts';

/** Runs queries. */
type Host = Pick<PgliteHost, 'query' | 'close'>;

class PgliteConnection implements DatabaseConnection {
  readonly #host: Host;
  constructor(host: Host) {
    this.#host = host;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, affected } = await this.#host.query(query.sql, query.parameters);
    // The row type is the query builder's promise; the database cannot prove it.
    return { rows: rows as R[], numAffectedRows: BigInt(affected) };
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('The embedded database does not stream rows: read pages by key.');
  }
}

/** The only connection: a query or transaction that holds it makes the others wait in line. */
class PgliteDriver implements Driver {
  readonly #host: Host;
  readonly #release = new WeakMap<DatabaseConnection, () => void>();
  #tail: Promise<void> = Promise.resolve();

  constructor(host: Host) {
    this.#host = host;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#tail;
    const { promise, resolve } = withResolvers();
    this.#tail = promise;
    await before;
    const connection = new PgliteConnection(this.#host);
    this.#release.set(connection, resolve);
    return connection;
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#release.get(connection)?.();
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const level = settings.isolationLevel === undefined ? '' : ` isolation level ${settings.isolationLevel}`;
    await run(connection, `begin${level}`);
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await run(connection, 'commit');
  }
  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await run(connection, 'rollback');
  }
  async destroy(): Promise<void> {
    await this.#host.close();
  }
}

async function run(connection: DatabaseConnection, sql: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(sql));
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Kysely's dialect for the embedded database. */
export function pgliteDialect(host: Host): Dialect {
  return namingPages({
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PgliteDriver(host),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  });
}
