import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

/** The database, for queries; also a transaction. */
export type Db = Kysely<Schema>;

export interface Database {
  kind: 'embedded' | 'postgres';
  db: Db;
  /**
   * Calls back with the payload of every `pg_notify(channel, …)`; returns the way to stop. Channel: lower case and `_`.
   * @param resumed called when the database is heard again after a loss: what was told in between has been missed
   */
  listen(channel: string, callback: (payload: string) => void, resumed?: () => void): Promise<() => void>;
  close(): Promise<void>;
}
