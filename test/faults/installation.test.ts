import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '#server/platform/config.ts';
import { createServices } from '#server/platform/context.ts';
import type { Database } from '#server/platform/db/database.ts';
import { createLog } from '#server/platform/log.ts';
import { openStorage } from '#server/platform/storage/open.ts';
import { openBorrowedDatabase } from '../server/databases.ts';
import { testFolder } from '../server/template.ts';
import { dropOrganizations } from '../server/money/books.ts';

const URL = 'postgres://localhost/console';
const log = createLog('silent');
let database: Database;
let dataDir: string;
beforeAll(async () => {
  database = await openBorrowedDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await dropOrganizations(database.db);
  for (const table of ['files', 'installation'] as const) await database.db.deleteFrom(table).execute();
  newDirectory();
});

const newDirectory = (): void => {
  dataDir = mkdtempSync(join(testFolder, 'installation-'));
};
const claim = async (isShared = true): Promise<unknown> =>
  openStorage({ dataDir, databaseUrl: isShared ? URL : undefined, s3: undefined }, database.db, log);
const note = (): string => join(dataDir, 'installation-id');
const kept = (): Promise<string> => readFile(note(), 'utf8');

/** A recording in the directory; returns its id. */
async function record(): Promise<string> {
  const id = crypto.randomUUID();
  await mkdir(join(dataDir, 'files'), { recursive: true });
  await writeFile(join(dataDir, 'files', id), 'audio');
  return id;
}

/** A file that the database knows. */
async function know(id: string): Promise<void> {
  const [organization_id, project_id, created_at] = [crypto.randomUUID(), crypto.randomUUID(), new Date()];
  await database.db
    .with('organization', (db) =>
      db
        .insertInto('organizations')
        .values({ id: organization_id, name: 'o', contact_email: 'o@example.com', feature_flags: [], created_at }),
    )
    .with('project', (db) =>
      db.insertInto('projects').values({ id: project_id, organization_id, name: 'p', description: '', created_at }),
    )
    .insertInto('files')
    .values({ id, project_id, filename: 'a.wav', size: 5, client_reference_id: null, origin: 'playground', created_at })
    .execute();
}

const STRANGE = 'belong to another database. Set DATABASE_URL to that one, or set DATA_DIR to another directory.';

describe('a data directory and its database', () => {
  it('DAT-13 the first start notes the database, and all later ones find it', async () => {
    await claim();
    const first = await kept();
    expect((await stat(note())).mode & 0o777).toBe(0o600);
    await record();
    await claim();
    expect(await kept()).toBe(first);
  });

  it.each([
    ['by its address', true, 'Set DATABASE_URL to that one'],
    ['by a folder', false, 'Put the folder database back that was beside them'],
  ])('DAT-13 another database, given %s, is refused with what to do', async (_how, isShared, remedy) => {
    await claim(isShared);
    const id = await record();
    await database.db.updateTable('installation').set({ id: crypto.randomUUID(), storage_id: null }).execute();
    const before = await kept();
    await expect(claim(isShared)).rejects.toThrow(
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
    const refused = String(await claim().catch((error: unknown) => error));
    expect(refused).toContain(
      `The recordings that the database knows are not in ${dataDir}. Set DATA_DIR to the directory that has them`,
    );
    const id = /write (\S+) into/.exec(refused)?.[1] ?? '';
    await writeFile(note(), id);
    await claim();
  });

  it('DAT-13 a note that a full disk left empty is written again', async () => {
    await know(await record());
    await writeFile(note(), '');
    await claim();
    expect(await kept()).toMatch(/^[0-9a-f-]{36}\n$/);
  });

  it('OPS-44: a directory that the release before has given to the database stays its own, and no other is taken', async () => {
    await claim();
    await database.db.updateTable('installation').set({ storage_id: null }).execute();
    await claim();
    const id = (await kept()).trim();
    expect(await database.db.selectFrom('installation').select('storage_id').execute()).toEqual([{ storage_id: id }]);
    newDirectory();
    await expect(claim()).rejects.toThrow(
      `The recordings that the database knows are not in ${dataDir}. Set DATA_DIR to the directory that has them; or, where they are lost, write ${id} into ${note()}.`,
    );
  });

  it('DAT-13 a server does so at its start', async () => {
    await writeFile(note(), crypto.randomUUID());
    const config = loadConfig({ PORT: '0', DATA_DIR: dataDir });
    await expect(createServices(config, { log, database })).rejects.toThrow('belong to another database');
  });
});
