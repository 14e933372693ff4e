/** Where a backup is taken from: a database as of one moment, and recordings that stay for as long as it is read. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sql, type Transaction } from 'kysely';
import { OperatorError } from '../../money/limits/operator.ts';
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
  /** Reads as of one moment. Once. */
  read<T>(work: (trx: Transaction<Schema>) => Promise<T>): Promise<T>;
  /** @throws OperatorError where recordings may have been removed since the database was read */
  requireHeld(): Promise<void>;
  close(): Promise<void>;
}

const letGo = (): OperatorError =>
  new OperatorError(
    'The server or the database has ended meanwhile, and recordings may have been removed. Begin again.',
  );

/** @throws OperatorError, StartError, or what the system or the database refuses with */
export async function openSource(config: Config): Promise<Source> {
  return config.databaseUrl === undefined ? openEmbedded(config.dataDir) : openOutside(config, config.databaseUrl);
}

/** A transaction that sees one moment, for as long as it takes. */
const readAll = <T>(db: Db, work: (trx: Transaction<Schema>) => Promise<T>): Promise<T> =>
  atOneMoment(db, async (trx) => {
    await staysOpen(trx);
    return work(trx);
  });

const staysOpen = (trx: Transaction<Schema>): Promise<unknown> =>
  sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);

async function openOutside(config: Config, databaseUrl: string): Promise<Source> {
  // A pooler would cut off what takes long.
  const url = config.directUrl ?? databaseUrl;
  await probePostgres(url);
  const database = openPostgres({ databaseUrl: url, querySeconds: config.querySeconds, connections: 1 });
  try {
    const hold = await database.db.startTransaction().execute();
    await staysOpen(hold);
    await HOLD.execute(hold);
    return {
      kind: 'postgres',
      read: (work) => readAll(database.patient, work),
      requireHeld: async () => {
        await sql`select 1`.execute(hold).catch(() => Promise.reject(letGo()));
      },
      close: async () => {
        // Where the connection is lost, so is what it held.
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
    // Nobody else can open it meanwhile.
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
        // The recordings may take long yet.
        await rm(copy.folder, { recursive: true, force: true });
      }
    },
    requireHeld: () => (copy.isHeld() ? Promise.resolve() : Promise.reject(letGo())),
    close: () => copy.giveBack(),
  };
}
