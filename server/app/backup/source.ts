/** The source of a backup: a snapshot of the database, and a hold on its recordings. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql, type Transaction } from 'kysely';
import { OperatorError } from '../operator-error.ts';
import type { Config } from '../../platform/config.ts';
import { DATABASE_FOLDER } from '../../platform/data-dir.ts';
import type { Db } from '../../platform/db/database.ts';
import { atOneMoment } from '../../platform/db/moment.ts';
import { openAsIs, openFolder } from '../../platform/db/open.ts';
import { openPostgres, probePostgres } from '../../platform/db/postgres.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { HOLD } from '../../platform/storage/hold.ts';
import { borrowCopy } from '../admin/copy-client.ts';

export interface Source {
  kind: 'embedded' | 'postgres';
  /** Reads a snapshot. Call it once. */
  read<T>(work: (trx: Transaction<Schema>) => Promise<T>): Promise<T>;
  /** @throws OperatorError if recordings may have been removed since the database was read */
  requireHeld(): Promise<void>;
  close(): Promise<void>;
}

const holdLost = (): OperatorError =>
  new OperatorError('The server or the database has ended, so recordings may have been removed. Begin again.');

/** @throws OperatorError, StartError, or an error of the system or the database */
export async function openSource(config: Config): Promise<Source> {
  return config.databaseUrl === undefined ? openEmbedded(config.dataDir) : openOutside(config, config.databaseUrl);
}

/** Runs `work` in a transaction that sees one snapshot, without a time limit. */
const readAll = <T>(db: Db, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> =>
  atOneMoment(db, async (trx) => {
    await neverTimeOut(trx);
    return work(trx);
  });

const neverTimeOut = (trx: Transaction<Schema>): Promise<unknown> =>
  sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);

async function openOutside(config: Config, databaseUrl: string): Promise<Source> {
  // A connection pooler would end long transactions.
  const url = config.directUrl ?? databaseUrl;
  await probePostgres(url);
  const database = openPostgres({ databaseUrl: url, querySeconds: config.querySeconds, connections: 1 });
  try {
    const hold = await database.db.startTransaction().execute();
    await neverTimeOut(hold);
    await HOLD.execute(hold);
    return {
      kind: 'postgres',
      read: (work) => readAll(database.patient, work),
      requireHeld: async () => {
        await sql`select 1`.execute(hold).catch(() => Promise.reject(holdLost()));
      },
      close: async () => {
        // Fails if the connection is lost; then the hold is gone too.
        await hold
          .rollback()
          .execute()
          .catch(() => undefined);
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function openEmbedded(dataDir: string): Promise<Source> {
  if (!existsSync(join(dataDir, DATABASE_FOLDER, 'PG_VERSION')))
    throw new OperatorError(`There is no database in ${dataDir}. Set DATA_DIR to the directory of the server.`);
  const copy = await borrowCopy(dataDir);
  if (copy === undefined) {
    // No server runs, and none can open the database meanwhile.
    const database = await openAsIs({ dataDir });
    return {
      kind: 'embedded',
      read: (work) => readAll(database.db, work),
      requireHeld: () => Promise.resolve(),
      close: () => database.close(),
    };
  }
  return {
    kind: 'embedded',
    async read(work) {
      const database = await openFolder(copy.folder);
      try {
        return await readAll(database.db, work);
      } finally {
        await database.close();
        // Copying the recordings may take long, so the copy makes room now.
        await rm(copy.folder, { recursive: true, force: true });
      }
    },
    requireHeld: () => (copy.isHeld() ? Promise.resolve() : Promise.reject(holdLost())),
    close: () => copy.giveBack(),
  };
}
