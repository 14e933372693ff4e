import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '#server/platform/db/database.ts';
import { createLog } from '#server/platform/log.ts';
import { openStorage } from '#server/platform/storage/open.ts';
import { openBorrowedDatabase } from '../server/databases.ts';
import { startTestServer } from '../server/harness.ts';
import { testFolder } from '../server/template.ts';

const URL = 'postgres://localhost/console';
let database: Database;
let dataDir: string;
beforeEach(async () => {
  database = await openBorrowedDatabase();
  dataDir = mkdtempSync(join(testFolder, 'installation-'));
});
afterEach(() => database.close());

const claim = (): Promise<void> => claimBy(URL);
const claimBy = async (databaseUrl: string | undefined): Promise<void> => {
  await openStorage({ dataDir, databaseUrl, s3: undefined }, database.db, createLog('silent'));
};
const kept = (): Promise<string> => readFile(join(dataDir, 'installation-id'), 'utf8');

/** A recording in the directory; returns its id. */
async function record(): Promise<string> {
  const id = crypto.randomUUID();
  await mkdir(join(dataDir, 'files'), { recursive: true });
  await writeFile(join(dataDir, 'files', id), 'audio');
  return id;
}

/** A file that the database knows. */
async function know(id: string): Promise<void> {
  const [organization, project, created_at] = [crypto.randomUUID(), crypto.randomUUID(), new Date()];
  await database.db
    .insertInto('organizations')
    .values({ id: organization, name: 'o', contact_email: 'o@example.com', feature_flags: [], created_at })
    .execute();
  await database.db
    .insertInto('projects')
    .values({ id: project, organization_id: organization, name: 'p', description: '', created_at })
    .execute();
  await database.db
    .insertInto('files')
    .values({
      id,
      project_id: project,
      filename: 'a.wav',
      size: 5,
      client_reference_id: null,
      origin: 'playground',
      created_at,
    })
    .execute();
}

const STRANGE = 'belong to another database. Set DATABASE_URL to that one, or set DATA_DIR to another directory.';

describe('DAT-13 a data directory and its database', () => {
  it('DAT-13 the first start notes the database, and all later ones find it', async () => {
    await claim();
    const first = await kept();
    expect((await stat(join(dataDir, 'installation-id'))).mode & 0o777).toBe(0o600);
    await record();
    await claim();
    expect(await kept()).toBe(first);
  });

  it.each([
    ['by its address', URL, 'Set DATABASE_URL to that one'],
    ['by a folder', undefined, 'Put the folder database back that was beside them'],
  ])('DAT-13 another database, given %s, is refused with what to do', async (_how, databaseUrl, remedy) => {
    await claimBy(databaseUrl);
    const id = await record();
    await database.db.updateTable('installation').set({ id: crypto.randomUUID(), storage_id: null }).execute();
    const before = await kept();
    await expect(claimBy(databaseUrl)).rejects.toThrow(
      `The recordings in ${dataDir} belong to another database. ${remedy}, or set DATA_DIR to another directory.`,
    );
    expect([await kept(), await readFile(join(dataDir, 'files', id), 'utf8')]).toEqual([before, 'audio']);
  });

  it('DAT-13 recordings of a time before the note are given to the database that knows them, and to no other', async () => {
    const id = await record();
    await record();
    await expect(claim()).rejects.toThrow(STRANGE);
    await know(crypto.randomUUID());
    await expect(claim()).rejects.toThrow(STRANGE);
    await expect(kept()).rejects.toThrow('ENOENT');
    await know(id);
    await claim();
    expect(await kept()).not.toBe('');
  });

  it('DAT-13 a database that knows recordings is not served from a directory without them, unless the operator says that they are lost', async () => {
    await know(crypto.randomUUID());
    const refused = await claim().then(
      () => 'It was taken.',
      (error: unknown) => String(error),
    );
    expect(refused).toContain(
      `The recordings that the database knows are not in ${dataDir}. Set DATA_DIR to the directory that has them`,
    );
    const id = /write (\S+) into/.exec(refused)?.[1] ?? '';
    await writeFile(join(dataDir, 'installation-id'), id);
    await claim();
  });

  it('DAT-13 a note that a full disk left empty is written again', async () => {
    await know(await record());
    await writeFile(join(dataDir, 'installation-id'), '');
    await claim();
    expect(await kept()).toMatch(/^[0-9a-f-]{36}\n$/);
  });

  it('OPS-44: a directory that the release before has given to the database stays its own, and no other is taken', async () => {
    await claim();
    await database.db.updateTable('installation').set({ storage_id: null }).execute();
    await claim();
    const id = (await kept()).trim();
    expect(await database.db.selectFrom('installation').select('storage_id').execute()).toEqual([{ storage_id: id }]);
    dataDir = mkdtempSync(join(testFolder, 'installation-'));
    await expect(claim()).rejects.toThrow(
      `The recordings that the database knows are not in ${dataDir}. Set DATA_DIR to the directory that has them; or, where they are lost, write ${id} into ${join(dataDir, 'installation-id')}.`,
    );
  });

  it('DAT-13 a server does so at its start', async () => {
    await writeFile(join(dataDir, 'installation-id'), crypto.randomUUID());
    await expect(startTestServer({ env: { DATA_DIR: dataDir } })).rejects.toThrow('belong to another database');
  });
});
