import type { Transaction } from 'kysely';
import type { Db } from './database.ts';
import type { Schema } from './schema.ts';

/** Runs several reads on one snapshot of the database, that of the first statement. */
export const atOneMoment = <T>(db: Db, read: (trx: Transaction<Schema>) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').execute(read);
