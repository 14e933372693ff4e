import { join } from 'node:path';
import type { Config } from '../config.ts';
import { CHECKOUTS_FOLDER, INSTALLATION_FILE, RECORDINGS_FOLDER } from '../data-dir.ts';
import type { Database } from '../db/database.ts';
import { claimStorage } from '../installation.ts';
import type { Log } from '../log.ts';
import { openLocalStorage } from './local.ts';
import type { FileStorage } from './port.ts';

type Settings = Pick<Config, 'dataDir' | 'databaseUrl' | 's3'>;

/**
 * Opens the storage in the settings, whichever database it belongs to.
 * @param isShared whether servers may write there
 */
export async function openUnclaimed({ dataDir, s3 }: Settings, log: Log, isShared: boolean): Promise<FileStorage> {
  if (s3 === undefined)
    return openLocalStorage({
      directory: join(dataDir, RECORDINGS_FOLDER),
      note: join(dataDir, INSTALLATION_FILE),
      isShared,
    });
  // Load the S3 library only if there is a bucket.
  const { openS3Storage } = await import('./s3.ts');
  return openS3Storage({ ...s3, checkouts: join(dataDir, CHECKOUTS_FOLDER), log });
}

/**
 * Opens the storage in the settings, a bucket or a folder of the data directory, and claims it for the database.
 * @throws StartError if it cannot be used, or belongs to another database
 */
export async function openStorage(
  settings: Settings,
  database: Pick<Database, 'db' | 'listen'>,
  log: Log,
): Promise<FileStorage> {
  const { databaseUrl, s3 } = settings;
  const storage = await openUnclaimed(settings, log, databaseUrl !== undefined);
  await claimStorage(database, storage, {
    log,
    isShared: databaseUrl !== undefined || s3 !== undefined,
    hasOthers: databaseUrl !== undefined,
    database:
      databaseUrl === undefined ? 'Put the folder database back that was beside them' : 'Set DATABASE_URL to that one',
  });
  return storage;
}
