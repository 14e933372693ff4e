import type { Transaction } from 'kysely';
import type { Db } from './database.ts';
import type { Schema } from './schema.ts';

/** Reads as of one moment, however many statements that takes: that of the first one. */
export const atOneMoment = <T>(db: Db, read: (trx: Transaction<Schema>) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').execute(read);
