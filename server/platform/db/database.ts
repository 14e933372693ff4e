import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** The database, for queries; also a transaction. */
export type Db = Kysely<Schema>;

/** A query as whoever watches sees it. */
export interface EndedQuery {
  ms: number;
  /** What it failed with. */
  failure: { error: unknown } | undefined;
}

export interface PoolLoad {
  pool: 'queries' | 'reports' | 'patient';
  connections: number;
  idle: number;
  /** Queries that have no connection yet, or no answer where there is only one. */
  waiting: number;
}

export interface Database {
  kind: 'embedded' | 'postgres';
  db: Db;
  /** The same, for what reads much: it takes no connection from the rest. */
  reports: Db;
  /** The same, for what may take as long as it needs: migrations, and rollups that are made anew. */
  patient: Db;
  /**
   * Calls back with the payload of every `pg_notify(channel, …)`; returns the way to stop. Channel: lower case and `_`.
   * @param resumed called when the database is heard again after a loss: what was told in between has been missed
   */
  listen(channel: string, callback: (payload: string) => void, resumed?: () => void): Promise<() => void>;
  /** Calls back with every query that ends. One at a time can watch. */
  watch(watcher: (query: EndedQuery) => void): void;
  /** How its connections are used just now. */
  load(): PoolLoad[];
  close(): Promise<void>;
}
