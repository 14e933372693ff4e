/** A migrated database to copy: making one takes seconds, copying it a fraction. Kept between runs, renewed when a migration changes. */
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE_FOLDER } from '#server/platform/data-dir.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { databaseVersion } from '../../scripts/release/database.mjs';

/** Where data directories are made: goes with the run of the tests (see `test/run-folder.ts`), or with any other process. */
export const testFolder = process.env['TEST_FOLDER'] ?? ownFolder();

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parlance-test-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function template(): Promise<string> {
  const folder = join(projectRoot, 'node_modules', '.cache', 'parlance', `database-${databaseVersion()}`);
  if (existsSync(folder)) return folder;
  const aside = `${folder}.${randomUUID()}`;
  await mkdir(aside, { recursive: true });
  await (await openDatabase({ dataDir: aside })).close();
  // Of several test processes that made one at once, the first to put it in place wins.
  await rename(aside, folder).catch(() => rm(aside, { recursive: true, force: true }));
  return folder;
}

/** A fresh data directory with an empty, migrated database. Remove it when done. */
export async function freshDataDir(): Promise<string> {
  const from = await template();
  const dataDir = await mkdtemp(join(testFolder, 'data-'));
  cpSync(join(from, DATABASE_FOLDER), join(dataDir, DATABASE_FOLDER), { recursive: true });
  return dataDir;
}
