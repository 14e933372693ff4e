/** Backups that are refused, broken off or damaged, and places that take none. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readManifest, writeManifest, type Content } from '#server/app/backup/format.ts';
import { openSource } from '#server/app/backup/source.ts';
import { checkBackup } from '#server/app/backup/restore.ts';
import { loadConfig } from '#server/platform/config.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { isHeld } from '#server/platform/storage/hold.ts';
import { databaseKind } from '../server/databases.ts';
import type { TestUser } from '../server/harness.ts';
import { eventually } from '../server/eventually.ts';
import { call, uploaded, type SpeechServer } from '../server/speech-api/harness.ts';
import { writeProcess } from '../postgres/process-row.ts';
import { backUp, emptyPlace, newFolder, newPlace, program, restore, serve, type Settings } from './backup.ts';

// Databases are made, and whole processes started: on a busy machine they take their time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let settings: Settings;
let server: SpeechServer;
let user: TestUser;
let whole: string;
let recording: string;
beforeAll(async () => {
  settings = await newPlace();
  server = await serve(settings);
  user = await server.createUser();
  recording = (await uploaded(server, user)).id;
  whole = join(newFolder('backup'), 'whole');
  await backUp(settings, whole);
});
afterAll(() => server.close());

const stored = (id: string): string => join(settings.DATA_DIR, 'files', id);
const remove = async (id: string): Promise<void> =>
  expect((await call(server, user, 'DELETE', `/files/${id}`)).status).toBe(204);

describe('OPS-81: recordings', () => {
  it('that are deleted stay until the backup has them, and go then', async () => {
    const { id } = await uploaded(server, user);
    const source = await openSource(loadConfig(settings));
    const known = await source.read((trx) => trx.selectFrom('files').select('id').execute());
    expect(known).toContainEqual({ id });
    await remove(id);
    const late = await uploaded(server, user);
    await remove(late.id);
    await source.requireHeld();
    expect([existsSync(stored(id)), existsSync(stored(late.id))]).toEqual([true, true]);
    await source.close();
    await eventually(async () => expect(await isHeld(server.services.db)).toBe(false));
    server.advance(31_000);
    await server.services.db
      .updateTable('jobs')
      .set({ run_at: new Date(0) })
      .where('kind', '=', 'remove-stored')
      .execute();
    await eventually(() => expect([existsSync(stored(id)), existsSync(stored(late.id))]).toEqual([false, false]));
    const { id: last } = await uploaded(server, user);
    await remove(last);
    expect(existsSync(stored(last))).toBe(false);
  });
});

describe('OPS-82: a backup that is broken off', () => {
  it('by a kill leaves nothing that passes for one, and the server goes on', async () => {
    // A recording that never ends: the copy waits for it.
    const { id } = await uploaded(server, user);
    await rm(stored(id));
    execFileSync('mkfifo', [stored(id)]);
    const parent = newFolder('backup');
    const { child, said } = program('backup', settings, join(parent, 'cut'));
    await eventually(async () => {
      const [unfinished] = await readdir(parent);
      expect(await readdir(join(parent, unfinished ?? '', 'recordings'))).toContain(recording);
    });
    expect(await isHeld(server.services.db)).toBe(true);
    child.kill('SIGKILL');
    await said;
    const [left = ''] = await readdir(parent);
    expect(left).toMatch(/^cut\..+\.unfinished$/);
    await expect(checkBackup(join(parent, left), () => undefined)).rejects.toThrow('or it is unfinished');
    await eventually(async () => expect(await isHeld(server.services.db)).toBe(false));
    await eventually(() => expect(existsSync(join(settings.DATA_DIR, 'database.copy'))).toBe(false));
    await rm(stored(id));
    await remove(id);
  });

  it('goes nowhere where something is already', async () => {
    await expect(backUp(settings, whole)).rejects.toThrow(`${whole} exists already.`);
    expect(await readdir(dirname(whole))).toEqual(['whole']);
  });
});

describe('OPS-83: a damaged backup', () => {
  const manifest = (change: Partial<Content>) => async (folder: string) =>
    writeManifest(folder, { ...(await readManifest(folder)), ...change });
  it.each<[string, (folder: string) => Promise<unknown>, string]>([
    ['without its manifest', (folder) => rm(join(folder, 'manifest.json')), 'manifest.json is missing'],
    [
      'with half a manifest',
      (folder) => truncate(join(folder, 'manifest.json'), 300),
      'manifest.json has changed or is missing',
    ],
    [
      'with another manifest',
      async (folder) => {
        const text = await readFile(join(folder, 'manifest.json'), 'utf8');
        await writeFile(join(folder, 'manifest.json'), text.replace('"missing": 0', '"missing": 1'));
      },
      'manifest.json has changed or is missing',
    ],
    ['with a changed recording', (folder) => writeFile(join(folder, 'recordings', recording), 'RIFG'), '/recordings/'],
    ['without a recording', (folder) => rm(join(folder, 'recordings', recording)), '/recordings/'],
    [
      'with half a table',
      (folder) => truncate(join(folder, 'tables/users.jsonl.gz'), 60),
      'users.jsonl.gz has changed or is missing',
    ],
    [
      'without a table',
      (folder) => rm(join(folder, 'tables/users.jsonl.gz')),
      'users.jsonl.gz has changed or is missing',
    ],
    [
      'with fewer checksums',
      async (folder) => {
        const text = await readFile(join(folder, 'SHA256SUMS'), 'utf8');
        await writeFile(join(folder, 'SHA256SUMS'), text.split('\n').slice(1).join('\n'));
      },
      'SHA256SUMS has changed or is missing',
    ],
    [
      'of a newer version',
      (folder) => manifest({ migrations: ['9999-later'], version: '9.9.9' })(folder),
      'newer version (9.9.9, it has 9999-later)',
    ],
    [
      'of another layout',
      (folder) => manifest({ format: 2 as 1, version: '9.9.9' })(folder),
      'newer version of this server made the backup (9.9.9)',
    ],
  ])('%s is refused, and nothing is changed', async (_how, damage, reason) => {
    const folder = join(newFolder('backup'), 'damaged');
    await cp(whole, folder, { recursive: true });
    await damage(folder);
    const DATA_DIR = newFolder('data');
    await expect(restore({ ...place, DATA_DIR }, folder)).rejects.toThrow(reason);
    expect((await readdir(DATA_DIR)).filter((name) => name !== 'server.lock')).toEqual([]);
  });

  let place: Settings;
  beforeAll(async () => {
    place = await emptyPlace();
  });
});

describe('OPS-84: a restore', () => {
  const usersOf = async (place: Settings): Promise<string[]> => {
    const database = await openDatabase(loadConfig(place));
    const rows = await database.db.selectFrom('users').select('id').execute();
    await database.close();
    return rows.map(({ id }) => id);
  };

  it('is refused beside a running server, and into what is not empty unless told; it replaces all or nothing then', async () => {
    const mayReplace = true;
    await expect(restore(settings, whole)).rejects.toThrow(
      databaseKind === 'embedded' ? 'in use by another server' : 'is not empty',
    );
    const moment = new Date();
    await writeProcess(server.services.db);
    await expect(restore(settings, whole, { mayReplace })).rejects.toThrow(
      databaseKind === 'embedded' ? 'in use by another server' : 'Servers work on the database',
    );
    const place = { ...(await newPlace()), SECRET_KEY: 'n'.repeat(40) };
    const stranger = crypto.randomUUID();
    const used = await openDatabase(loadConfig(place));
    const email = 'somebody@example.com';
    await used.db
      .insertInto('users')
      .values({ id: stranger, email, email_key: email, password_hash: null, referral: null, created_at: moment })
      .execute();
    await used.close();
    await expect(restore(place, whole)).rejects.toThrow('is not empty');
    const said: string[] = [];
    let isCut = true;
    const say = (line: string): void => {
      if (isCut && line.startsWith('Table users')) throw new Error('cut');
      said.push(line);
    };
    const note = join(place.DATA_DIR, 'installation-id');
    await writeFile(note, stranger);
    await expect(restore(place, whole, { mayReplace, say })).rejects.toThrow('cut');
    expect(await usersOf(place)).toEqual([stranger]);
    expect((await readFile(note, 'utf8')).trim()).toBe(stranger);
    isCut = false;
    await restore(place, whole, { mayReplace, say });
    expect(await usersOf(place)).toEqual([user.userId]);
    expect(said.at(-1)).toContain('was made with another secret key');
    expect(await readFile(note, 'utf8')).toBe(await readFile(join(settings.DATA_DIR, 'installation-id'), 'utf8'));
    expect(await readdir(join(place.DATA_DIR, 'files'))).toEqual([recording]);
    // At once, although servers had their recordings in another place a moment before the backup.
    await (await serve(place)).close();
  });

  it('that fails leaves no id in an empty storage, and its own beside recordings, where it goes on', async () => {
    const [place, other] = [await emptyPlace(), await newPlace()];
    await (await serve(other)).close();
    const bare = join(newFolder('backup'), 'bare');
    await backUp(other, bare);
    const say = (line: string): void => {
      if (line.startsWith('Restored')) throw new Error('cut');
    };
    const note = join(place.DATA_DIR, 'installation-id');
    await expect(restore(place, bare, { say })).rejects.toThrow('cut');
    expect(existsSync(note)).toBe(false);
    await expect(restore(place, whole, { say })).rejects.toThrow('cut');
    expect(await readFile(note, 'utf8')).toBe(await readFile(join(settings.DATA_DIR, 'installation-id'), 'utf8'));
    await expect(restore(place, bare)).rejects.toThrow('belong to another database');
    await restore(place, whole);
    expect(await usersOf(place)).toEqual([user.userId]);
  });

  it('does not take recordings of another database', async () => {
    const place = await emptyPlace();
    await writeFile(join(place.DATA_DIR, 'installation-id'), crypto.randomUUID());
    await expect(restore(place, whole)).rejects.toThrow('belong to another database');
    await rm(join(place.DATA_DIR, 'installation-id'));
    await mkdir(join(place.DATA_DIR, 'files'), { recursive: true });
    await writeFile(join(place.DATA_DIR, 'files', crypto.randomUUID()), 'audio');
    await expect(restore(place, whole)).rejects.toThrow('belong to another database');
  });
});

describe('OPS-85: npm run backup and restore', () => {
  it('say what they did, what the storage has lost, and what to keep', async () => {
    const { id } = await uploaded(server, user);
    await rm(stored(id));
    const folder = join(newFolder('backup'), 'program');
    const taken = await program('backup', settings, folder).said;
    expect(taken.error).toContain('The storage has lost 1 recording that the database names.');
    expect(taken.error).toContain('The secret key is not in the backup. Keep it elsewhere');
    expect(taken).toMatchObject({ code: 0, out: expect.stringMatching(/program: [\d,]+ rows, 1 recording, 4 B\n$/) });
    expect(await readFile(join(folder, 'missing-recordings'), 'utf8')).toBe(`${id}\n`);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    const checked = await program('restore', settings, folder, '--check').said;
    expect(checked).toMatchObject({ code: 0, out: expect.stringMatching(/: taken at \S+ by version \S+\n$/) });
    await remove(id);
  });
});

describe('OPS-82: the end of the server or its database', () => {
  it('is no whole backup', async () => {
    const source = await openSource(loadConfig(settings));
    await source.requireHeld();
    if (databaseKind === 'postgres')
      await sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and mode = 'ShareLock'
        and database = (select oid from pg_database where datname = current_database())`.execute(server.services.db);
    await server.close();
    await expect(source.requireHeld()).rejects.toThrow('recordings may have been removed. Begin again.');
    await source.close();
  });
});
