import { mkdtempSync } from 'node:fs';
import fs, {
  appendFile,
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DATABASE_FOLDER, databaseFolder, prepareDataDir } from '#server/platform/data-dir.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { loadSecret } from '#server/platform/secrets.ts';
import { freshDataDir, testFolder } from '../server/template.ts';
import { buildServer } from './build.ts';
import { addressOf, run, withMounts } from './built.ts';

const root = process.getuid?.() === 0;
let dataDir: string;
let database: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(testFolder, 'directory-'));
  database = join(dataDir, DATABASE_FOLDER);
});

/** All that is below a folder, with its content. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(file, 'latin1')] as const)),
  );
}

describe('a database is never made beside what is there', () => {
  const remedy = () =>
    `Put the folder database back from a backup; or, to begin anew without the old data, move everything out of ${dataDir}.`;

  it('DAT-02 a database without its file PG_VERSION is left as it is, and refused with what to do', async () => {
    await mkdir(join(database, 'base'), { recursive: true });
    await writeFile(join(database, 'base', '1'), 'rows');
    const before = await contentOf(dataDir);
    await expect(openDatabase({ dataDir })).rejects.toThrow(
      `${database} is not a whole database: its file PG_VERSION is missing. ${remedy()}`,
    );
    expect(await contentOf(dataDir)).toEqual(before);
  });

  it.each([
    [
      'recordings',
      async () => {
        await mkdir(join(dataDir, 'files'));
        await writeFile(join(dataDir, 'files', 'x'), 'audio');
      },
      'files',
    ],
    ['a secret', () => writeFile(join(dataDir, 'secret-key'), 'k'.repeat(64)), 'secret-key'],
    [
      'the id of its database',
      () => writeFile(join(dataDir, 'installation-id'), crypto.randomUUID()),
      'installation-id',
    ],
    [
      'a demo password and an empty database folder',
      async () => {
        await writeFile(join(dataDir, 'demo-password'), 'x');
        await mkdir(database);
      },
      'demo-password',
    ],
  ])('DAT-02 where the database is missing beside %s, none is made', async (_what, fill, name) => {
    await fill();
    await expect(openDatabase({ dataDir })).rejects.toThrow(
      `The data directory ${dataDir} has been used (it holds ${name}), but its database is missing. ${remedy()}`,
    );
    expect(await readdir(dataDir)).not.toContain('database.new');
  });

  it('DAT-02 one of another version of PostgreSQL, or a file in its place, is refused', async () => {
    await mkdir(database);
    await writeFile(join(database, 'PG_VERSION'), '17\n');
    await expect(openDatabase({ dataDir })).rejects.toThrow('PG_VERSION says "17" instead of 18.');
    await rm(database, { recursive: true });
    await writeFile(database, '');
    await expect(openDatabase({ dataDir })).rejects.toThrow(`${database} is not a directory.`);
  });

  it('DAT-02 an end in the middle of the first start leaves no database, and the next start makes a whole one', async () => {
    const interrupted = databaseFolder(dataDir, async (folder) => {
      await mkdir(folder);
      await writeFile(join(folder, 'PG_VERSION'), '18\n');
      throw new Error('killed');
    });
    await expect(interrupted).rejects.toThrow('killed');
    expect(await readdir(dataDir)).toEqual(['database.new']);
    const opened = await openDatabase({ dataDir });
    expect(await sql`select count(*) as users from users`.execute(opened.db)).toMatchObject({ rows: [{ users: 0 }] });
    await opened.close();
    expect(await readdir(dataDir)).toEqual(['database']);
  }, 60_000);
});

describe('only its owner reads the data directory', () => {
  it(
    'DAT-03 a running server under umask 000, on a directory that others could read',
    { timeout: 120_000 },
    async () => {
      const loose = await freshDataDir();
      await mkdir(join(loose, 'files'));
      await writeFile(join(loose, 'files', 'recording'), 'audio');
      for (const entry of await readdir(loose, { recursive: true, withFileTypes: true }))
        await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o777 : 0o666);
      await chmod(loose, 0o777);
      const started = run(buildServer(), { DATA_DIR: loose }, ['sh', '-c', 'umask 000; exec "$@"', 'sh']);
      try {
        await addressOf(started);
        const modes = new Map([[loose, (await lstat(loose)).mode & 0o777]]);
        for (const entry of await readdir(loose, { recursive: true, withFileTypes: true })) {
          const path = join(entry.parentPath, entry.name);
          modes.set(path, (await lstat(path)).mode & 0o777);
        }
        for (const name of [
          'secret-key',
          'demo-password',
          'server.lock',
          'files/recording',
          'database/PG_VERSION',
          'database/postgresql.conf',
        ])
          expect([name, modes.get(join(loose, name))]).toEqual([name, 0o600]);
        // The two samples, too.
        expect([...modes.keys()].filter((path) => path.startsWith(join(loose, 'files/')))).toHaveLength(3);
        expect([...modes].filter(([, mode]) => (mode & 0o077) !== 0)).toEqual([]);
      } finally {
        started.child.kill('SIGKILL');
        await started.exit;
      }
    },
  );

  it('DAT-03 DAT-11 what another server takes away meanwhile is no reason not to start', async () => {
    const files = join(dataDir, 'files');
    await mkdir(files);
    for (let round = 0; round < 5; round += 1) {
      const names = Array.from({ length: 300 }, (_, index) => join(files, `${round}-${index}.part`));
      await Promise.all(names.map((name) => writeFile(name, '', { mode: 0o666 })));
      const removals = names.map((name) => rm(name));
      await prepareDataDir(dataDir);
      await Promise.all(removals);
    }
  });

  it('DAT-03 DAT-11 nor is what goes between the look into a folder and the look at what was in it', async () => {
    const files = join(dataDir, 'files');
    await mkdir(files);
    const [gone, left] = [join(files, 'a.part'), join(files, 'b')];
    for (const file of [gone, left]) await writeFile(file, '', { mode: 0o666 });
    const { readdir: look } = fs;
    const looking = vi.spyOn(fs, 'readdir').mockImplementation(async (...asked: Parameters<typeof look>) => {
      const found = await look(...asked);
      await rm(gone, { force: true });
      return found;
    });
    syncBuiltinESMExports();
    try {
      await prepareDataDir(dataDir);
      expect(looking).toHaveBeenCalled();
    } finally {
      looking.mockRestore();
      syncBuiltinESMExports();
    }
    expect((await lstat(left)).mode & 0o777).toBe(0o600);
    await expect(lstat(gone)).rejects.toThrow('ENOENT');
  });

  it('DAT-03 DAT-11 one that belongs to another user is refused, named with both users', async () => {
    // Without root there is one that surely is not ours.
    const foreign = root ? dataDir : '/';
    const { chown } = await import('node:fs/promises');
    if (root) await chown(dataDir, 65_534, 65_534);
    await expect(prepareDataDir(foreign)).rejects.toThrow(
      new RegExp(
        `^${foreign} belongs to another user \\(uid \\d+\\); this server runs as uid ${process.getuid?.()}\\. Run it as that user`,
      ),
    );
  });
});

describe('a start that the directory makes impossible', { timeout: 120_000 }, () => {
  let main: string;
  beforeAll(() => {
    main = buildServer();
  });

  async function refusal(env: Record<string, string>, before?: readonly string[]): Promise<string> {
    const started = run(main, { DATA_DIR: dataDir, ...env }, before);
    expect([await started.exit, started.err().trim().split('\n').length]).toEqual([1, 1]);
    return started.err().trim();
  }

  it('DAT-11 DATA_DIR is a file, or below one', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    expect(await refusal({ DATA_DIR: file })).toBe(`DATA_DIR ${file} is a file. Set DATA_DIR to a directory.`);
    expect(await refusal({ DATA_DIR: join(file, 'below') })).toBe(
      `A part of the path ${join(file, 'below')} is a file. Set DATA_DIR to a directory.`,
    );
  });

  it('DAT-11 a file system that is read-only, with a directory and without one', async () => {
    const readOnly = withMounts(`mount --bind '${dataDir}' '${dataDir}' && mount -o remount,bind,ro '${dataDir}'`);
    expect(await refusal({}, readOnly)).toBe(
      `${join(dataDir, 'server.lock')} is on a file system that cannot be written to. Mount it for writing, or set DATA_DIR to another directory.`,
    );
    expect(await refusal({ DATA_DIR: join(dataDir, 'new') }, readOnly)).toContain(
      'is on a file system that cannot be written to.',
    );
  });

  it('DAT-11 a database folder that is a link to another disk is opened', { timeout: 60_000 }, async () => {
    const elsewhere = join(await freshDataDir(), DATABASE_FOLDER);
    await symlink(elsewhere, database);
    const opened = await openDatabase({ dataDir });
    const { rows } = await sql<{ one: number }>`select 1 as one`.execute(opened.db);
    await opened.close();
    expect(rows).toEqual([{ one: 1 }]);
    expect((await lstat(database)).isSymbolicLink()).toBe(true);
  });

  it.each<[string, () => Promise<void>]>([
    ['is damaged', () => rm(join(database, 'global/pg_control'))],
    [
      'has lost some tables',
      async () => {
        const base = join(database, 'base');
        // The tables of all databases; what is shared by them opens still.
        for (const folder of await readdir(base))
          for (const file of await readdir(join(base, folder)))
            if (Number(file) >= 16_384) await rm(join(base, folder, file));
      },
    ],
  ])('DAT-11 a database that %s', async (_what, damage) => {
    await rename(join(await freshDataDir(), DATABASE_FOLDER), database);
    await damage();
    expect(await refusal({})).toMatch(
      new RegExp(
        `^The database in ${database} cannot be \\w+; it may be damaged \\(.+\\)\\. Put the folder back from a backup, or set DATA_DIR to another directory\\.$`,
      ),
    );
  });

  it('DAT-11 a database of a newer version, and a secret that is none', async () => {
    await rename(join(await freshDataDir(), DATABASE_FOLDER), database);
    await writeFile(join(dataDir, 'secret-key'), '');
    expect(await refusal({})).toBe(
      `${join(dataDir, 'secret-key')} holds no secret (0 characters instead of 32 or more). Put it back from a backup; or, where it is lost, write 32 or more random characters into it: links that were sent are then dead, waiting mails are lost, and webhooks need new secrets.`,
    );
    await rm(join(dataDir, 'secret-key'));
    const opened = await openDatabase({ dataDir });
    await opened.db.insertInto('required_migrations').values({ name: '9999-later' }).execute();
    await opened.close();
    expect(await refusal({})).toBe(
      'The database needs a newer version of this server (it has 9999-later). Start that version or a later one, or put back a backup from before.',
    );
  });

  it('DAT-11 a secret that was lost beside its database is not made anew; one that is written by hand is taken', async () => {
    const kept = await freshDataDir();
    const startAndKill = async (): Promise<void> => {
      const started = run(main, { DATA_DIR: kept });
      await addressOf(started);
      started.child.kill('SIGKILL');
      await started.exit;
    };
    await startAndKill();
    await rm(join(kept, 'secret-key'));
    expect(await refusal({ DATA_DIR: kept })).toBe(
      `${join(kept, 'secret-key')} is missing, and the database has been used with it. Put it back from a backup, or set SECRET_KEY where that was in use; or, where it is lost, write 32 or more random characters into it: links that were sent are then dead, waiting mails are lost, and webhooks need new secrets.`,
    );
    expect(await readdir(kept)).not.toContain('secret-key');
    await writeFile(join(kept, 'secret-key'), 'n'.repeat(40));
    await startAndKill();
  });

  it('DAT-11 a secret appears whole or not at all', async () => {
    loadSecret({ secretKey: undefined, dataDir });
    expect(await readdir(dataDir)).toEqual(['secret-key']);
    await appendFile(join(dataDir, 'secret-key'), '\n');
    expect(loadSecret({ secretKey: undefined, dataDir })('a')).toHaveLength(32);
  });
});
