import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '#server/db/open.ts';
import { claimDataDir } from '#server/installation.ts';
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

const claim = (databaseUrl: string | undefined = URL): Promise<void> => claimDataDir(database.db, { dataDir, databaseUrl });
const kept = (): Promise<string> => readFile(join(dataDir, 'installation-id'), 'utf8');

async function record(): Promise<void> {
  await mkdir(join(dataDir, 'files'), { recursive: true });
  await writeFile(join(dataDir, 'files', 'recording'), 'audio');
}

async function addUser(): Promise<void> {
  await database.db.insertInto('users').values({ id: crypto.randomUUID(), email: 'ada@example.com', email_key: 'ada@example.com', password_hash: null, referral: null, created_at: new Date() }).execute();
}

describe('DAT-13 a data directory and its database', () => {
  it('DAT-13 the first start notes the database, and all later ones find it, from several directories too', async () => {
    await claim();
    const first = await kept();
    expect((await stat(join(dataDir, 'installation-id'))).mode & 0o777).toBe(0o600);
    await record();
    await claim();
    expect(await kept()).toBe(first);
    dataDir = mkdtempSync(join(testFolder, 'installation-'));
    await claim();
    expect(await kept()).toBe(first);
  });

  it.each([
    ['by its address', URL, 'Set DATABASE_URL to that one'],
    ['by a folder', undefined, 'Put the folder database back that was beside them'],
  ])('DAT-13 another database, given %s, is refused with what to do', async (_how, databaseUrl, remedy) => {
    await claim(databaseUrl);
    await record();
    await database.db.updateTable('installation').set({ id: crypto.randomUUID() }).execute();
    const before = await kept();
    await expect(claimDataDir(database.db, { dataDir, databaseUrl })).rejects.toThrow(`The recordings in ${dataDir} belong to another database. ${remedy}, or set DATA_DIR to another directory.`);
    expect([await kept(), await readFile(join(dataDir, 'files', 'recording'), 'utf8')]).toEqual([before, 'audio']);
  });

  it('DAT-13 recordings of a time before the note are not given to a database that is new', async () => {
    await record();
    await expect(claim()).rejects.toThrow('belong to another database');
    await expect(kept()).rejects.toThrow('ENOENT');
    await addUser();
    await claim();
    expect(await kept()).not.toBe('');
  });

  it('DAT-13 a note that a full disk left empty is written again', async () => {
    await addUser();
    await record();
    await writeFile(join(dataDir, 'installation-id'), '');
    await claim();
    expect(await kept()).toMatch(/^[0-9a-f-]{36}\n$/);
  });

  it('DAT-13 a server does so at its start', async () => {
    await writeFile(join(dataDir, 'installation-id'), crypto.randomUUID());
    await expect(startTestServer({ env: { DATA_DIR: dataDir } })).rejects.toThrow('belong to another database');
  });
});
