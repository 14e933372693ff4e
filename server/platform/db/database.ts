import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** The database, or a transaction, for queries. */
export type Db = Kysely<Schema>;

/** An ended query, for a watcher. */
export interface EndedQuery {
  ms: number;
  /** Its error, if it failed. */
  failure: { error: unknown } | undefined;
}

export interface PoolLoad {
  pool: 'queries' | 'reports' | 'patient';
  connections: number;
  idle: number;
  /** Queries that wait for a connection; for the embedded database, queries without an answer. */
  waiting: number;
}

export interface Database {
  kind: 'embedded' | 'postgres';
  db: Db;
  /** The same database for long reads; has connections of its own. */
  reports: Db;
  /** The same database without a time limit, for migrations and for rebuilding rollups. */
  patient: Db;
  /**
   * Calls `callback` with the payload of every `pg_notify(channel, …)`. The channel has lower case letters and `_`.
   * @param resumed called when a lost connection is back; notifications in between are missed
   * @returns a function that stops listening
   */
  listen(channel: string, callback: (payload: string) => void, resumed?: () => void): Promise<() => void>;
  /** Calls `watcher` after every query. There is only one watcher: the last one. */
  watch(watcher: (query: EndedQuery) => void): void;
  /** Current use of the connections. */
  load(): PoolLoad[];
  close(): Promise<void>;
}
