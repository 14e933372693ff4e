import { mkdtempSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '#server/platform/config.ts';
import { createServices } from '#server/platform/context.ts';
import type { Database } from '#server/platform/db/database.ts';
import { createLog } from '#server/platform/log.ts';
import { openStorage } from '#server/platform/storage/open.ts';
import { writeProcess } from '../postgres/process-row.ts';
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
  silence();
  await dropOrganizations(database.db);
  for (const table of ['files', 'installation', 'storage_place', 'processes'] as const)
    await database.db.deleteFrom(table).execute();
  newDirectory();
});

/** Of servers that have begun: they have not ended. */
const alive: (() => void)[] = [];
/** All servers have ended, or answer nobody. */
const silence = (): void => alive.splice(0).forEach((end) => end());
/** The database of one more server. In its turn, as an embedded one is heard. */
const connected = (): Pick<Database, 'db' | 'listen'> => ({
  db: database.db,
  listen: (...told) =>
    database.db.connection().execute(async () => {
      const stop = await database.listen(...told);
      alive.push(stop);
      return stop;
    }),
});
const newDirectory = (): string => (dataDir = mkdtempSync(join(testFolder, 'installation-')));
const claim = async (isShared = true, directory = dataDir): Promise<unknown> =>
  openStorage({ dataDir: directory, databaseUrl: isShared ? URL : undefined, s3: undefined }, connected(), log);
/** Servers that have begun so far have ended, or run for long. */
const later = (): Promise<unknown> =>
  database.db
    .updateTable('storage_place')
    .set({ taken_at: sql<Date>`taken_at - interval '1 minute'` })
    .execute();
/** A server works on the database; or all have ended. */
async function isAtWork(is: boolean): Promise<void> {
  if (!is) silence();
  await database.db.deleteFrom('processes').execute();
  if (is) await writeProcess(database.db);
}
const here = (directory: string): string => `${directory} of ${hostname()}`;
const IN_ONE_PLACE =
  'Servers of one database have one place for recordings: set DATA_DIR to the directory that has them, or set the same S3_BUCKET for all of them, or set DATABASE_URL to another database.';
const besideOthers = (first: string, second: string): string =>
  `Another server is at work on this database with its recordings in ${here(first)}, and ${here(second)} is another place, or a copy of it. ${IN_ONE_PLACE} Where that server has just ended, wait for half a minute.`;
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

  it('DAT-13 a database that knows recordings does not start on a directory without them, unless the operator allows it', async () => {
    await know(crypto.randomUUID());
    const refused = String(await claim().catch((error: unknown) => error));
    expect(refused).toContain(
      `The recordings of this database are in another place, and not in ${here(dataDir)}. ${IN_ONE_PLACE} Where they are lost`,
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
    const first = dataDir;
    newDirectory();
    await later();
    await expect(claim()).rejects.toThrow(
      `The recordings of this database are in ${here(first)}, and not in ${here(dataDir)}. ${IN_ONE_PLACE} Where they are lost, or there were none, write ${id} into ${note()}.`,
    );
  });

  describe('beside other servers', () => {
    it('OPS-94: a server with another directory does not start, even before there is a recording', async () => {
      await claim();
      const first = dataDir;
      newDirectory();
      // One that has just begun, one that works, and both.
      for (const begin of [() => Promise.resolve(), () => isAtWork(true), later]) {
        await begin();
        await expect(claim()).rejects.toThrow(besideOthers(first, dataDir));
      }
      expect(await readdir(dataDir)).toEqual(['files']);
      // Recordings without their note are no better, and get none.
      await know(await record());
      await expect(claim()).rejects.toThrow(besideOthers(first, dataDir));
      expect(await readdir(dataDir)).toEqual(['files']);
      await claim(true, first);
    });

    it('OPS-94: of first starts with different directories at once one wins, also where all are copies of one', async () => {
      const taken = async (directories: string[]): Promise<string[]> => {
        const starts = await Promise.allSettled(directories.map((directory) => claim(true, directory)));
        const winners = directories.filter((_, index) => starts[index]?.status === 'fulfilled');
        expect(starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []))).toEqual(
          directories
            .filter((directory) => !winners.includes(directory))
            .map((directory) => `StartError: ${besideOthers(winners[0] ?? '', directory)}`),
        );
        return winners;
      };
      const [winner, ...more] = await taken([dataDir, newDirectory(), newDirectory(), newDirectory()]);
      expect(more).toEqual([]);
      await isAtWork(false);
      await later();
      const copies = [newDirectory(), newDirectory(), newDirectory()];
      for (const copy of copies) await cp(winner ?? '', copy, { recursive: true });
      expect(await taken(copies)).toHaveLength(1);
    });

    it('OPS-94: servers that share a directory start, at once and one after the other', async () => {
      await Promise.all([claim(), claim(), claim()]);
      await isAtWork(true);
      await later();
      await claim();
    });

    it('OPS-94: a moved or copied directory is accepted while no server runs; the old one is then the copy', async () => {
      const before = dataDir;
      await claim();
      await know(await record());
      await cp(before, newDirectory(), { recursive: true });
      await isAtWork(true);
      await later();
      // As it was copied while a server had begun with it; any that begins tells them apart.
      await isAtWork(false);
      await claim();
      await isAtWork(true);
      await later();
      await expect(claim(true, before)).rejects.toThrow(besideOthers(dataDir, before));
      await claim();
    });

    it('OPS-94: a copy that was made while a server works is refused beside it, whose place stays the one that counts', async () => {
      const first = dataDir;
      await claim();
      await know(await record());
      // One that has just begun, and one that works for long.
      for (const begin of [() => Promise.resolve(), () => isAtWork(true), later]) {
        await begin();
        await cp(first, newDirectory(), { recursive: true });
        const before = await readdir(dataDir, { recursive: true });
        await expect(claim()).rejects.toThrow(besideOthers(first, dataDir));
        expect(await readdir(dataDir, { recursive: true })).toEqual(before);
        await claim(true, first);
      }
      // What it has there counts, whatever is noted beside it.
      await writeFile(join(first, 'place-id'), crypto.randomUUID());
      await claim(true, first);
      expect((await readdir(first, { recursive: true })).length).toBe(4);
    });

    it('OPS-94: beside servers that do not answer the mark counts', async () => {
      const first = dataDir;
      await claim();
      await isAtWork(true);
      silence();
      await cp(first, newDirectory(), { recursive: true });
      await writeFile(join(dataDir, 'place-id'), crypto.randomUUID());
      await Promise.all([claim(true, first), expect(claim()).rejects.toThrow(besideOthers(first, dataDir))]);
    });

    it('OPS-94: a server that has begun with a copy and ended at once keeps none out', async () => {
      const first = dataDir;
      await claim();
      await cp(first, newDirectory(), { recursive: true });
      await later();
      await isAtWork(false);
      await claim();
      silence();
      await claim(true, first);
      await expect(claim()).rejects.toThrow(besideOthers(first, dataDir));
    });

    it('OPS-94: a database of the previous release takes the mark of the first server that has its recordings', async () => {
      await claim();
      await know(await record());
      await database.db.deleteFrom('storage_place').execute();
      await rm(join(dataDir, 'place-id'));
      await isAtWork(true);
      await claim();
      const first = dataDir;
      await cp(first, newDirectory(), { recursive: true });
      await rm(join(dataDir, 'place-id'));
      await expect(claim()).rejects.toThrow(besideOthers(first, dataDir));
    });

    it('OPS-94: a time that the database wrote before its clock was set back keeps no server out', async () => {
      await claim();
      const first = dataDir;
      await cp(first, newDirectory(), { recursive: true });
      await database.db
        .updateTable('storage_place')
        .set({ taken_at: sql<Date>`taken_at + interval '1 hour'`, mark: crypto.randomUUID() })
        .execute();
      await claim();
    });
  });

  it('DAT-13 a server does so at its start', async () => {
    await writeFile(note(), crypto.randomUUID());
    const config = loadConfig({ PORT: '0', DATA_DIR: dataDir });
    await expect(createServices(config, { log, database })).rejects.toThrow('belong to another database');
  });
});
