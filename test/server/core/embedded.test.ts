import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lockDirectory } from '#server/db/lock.ts';
import { openDatabase, type Database } from '#server/db/open.ts';
import { projectRoot } from '#server/paths.ts';
import { freshDataDir } from '../template.ts';

describe('embedded database', () => {
  let database: Database;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await freshDataDir();
    database = await openDatabase({ dataDir });
  });
  afterAll(async () => {
    await database.close();
    await rm(dataDir, { recursive: true });
  });

  // One connection, for which the query waits.
  it('keeps other queries out of a transaction', async () => {
    const order: string[] = [];
    let inside = (): void => {};
    const started = new Promise<void>((resolve) => { inside = resolve; });
    const transaction = database.db.transaction().execute(async (db) => {
      await db.insertInto('rate_limits').values({ key: 'isolated', arrival_ms: 1 }).execute();
      inside();
      for (let round = 0; round < 5; round += 1) await sql`select ${round}::int`.execute(db);
      order.push('transaction');
    });
    await started;
    const outside = database.db.selectFrom('rate_limits').selectAll().where('key', '=', 'isolated').execute().then((rows) => {
      order.push('query');
      return rows.length;
    });
    await transaction;
    expect([await outside, order]).toEqual([1, ['transaction', 'query']]);
  });

  it('does not let a second server into the directory', async () => {
    await expect(openDatabase({ dataDir })).rejects.toThrow(`The data directory ${dataDir} is in use by another server (process ${process.pid}).`);
    expect(await sql`select 1 as one`.execute(database.db)).toMatchObject({ rows: [{ one: 1 }] });
  });
});

describe('directory lock', () => {
  let directory: string;
  let child: ChildProcess | undefined;
  beforeAll(async () => { directory = await freshDataDir(); });
  afterEach(() => { child?.kill('SIGKILL'); });
  afterAll(() => rm(directory, { recursive: true }));

  const lockFile = (): string => join(directory, 'server.lock');

  it('holds off while its process lives, also for one of another user', () => {
    writeFileSync(lockFile(), '1');
    expect(() => lockDirectory(directory)).toThrow(/in use by another server \(process 1\)/);
  });

  it('is taken over from a process that is gone, and released', async () => {
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'exit');
    writeFileSync(lockFile(), String(gone.pid));
    const lock = lockDirectory(directory);
    expect(readFileSync(lockFile(), 'utf8')).toMatch(new RegExp(`^${process.pid}\\b`));
    lock.release();
    expect(existsSync(lockFile())).toBe(false);
  });

  it.runIf(existsSync('/proc/self/stat'))('is taken over when its number went to another process', () => {
    writeFileSync(lockFile(), `${process.pid} 1`);
    expect(() => lockDirectory(directory).release()).not.toThrow();
  });

  it.each(['', 'nonsense'])('is taken over when it holds %j', (content) => {
    writeFileSync(lockFile(), content);
    expect(() => lockDirectory(directory).release()).not.toThrow();
  });

  it('kill -9 while writing: the directory opens again, with every acknowledged transaction whole', { timeout: 90_000 }, async () => {
    child = spawn(process.execPath, ['--import', 'tsx', join(projectRoot, 'test/server/core/write-until-killed.ts'), directory], { cwd: projectRoot, stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(child, 'exit');
    let acknowledged = 0;
    if (child.stdout === null) throw new Error('no output');
    for await (const line of createInterface({ input: child.stdout })) {
      if (line !== 'ready') acknowledged = Number(line);
      if (acknowledged === 50) child.kill('SIGKILL');
    }
    await exit;
    expect(acknowledged).toBeGreaterThanOrEqual(50);
    expect(existsSync(lockFile())).toBe(true);

    const database = await openDatabase({ dataDir: directory });
    try {
      const rows = await database.db.selectFrom('rate_limits').selectAll().orderBy('key').execute();
      const keys = new Set(rows.map(({ key }) => key));
      for (let row = 1; row <= acknowledged; row += 1) expect([row, keys.has(`a${row}`), keys.has(`b${row}`)]).toEqual([row, true, true]);
      expect(rows.filter(({ key }) => key.startsWith('a'))).toHaveLength(rows.filter(({ key }) => key.startsWith('b')).length);
      await database.db.insertInto('rate_limits').values({ key: 'after', arrival_ms: 0 }).execute();
    } finally {
      await database.close();
    }
  });
});
