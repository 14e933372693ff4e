import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { LOCK_FILE } from '#server/platform/db/lock.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { freshDataDir } from '../server/template.ts';

let directory: string;
let child: ChildProcess | undefined;
beforeAll(async () => {
  directory = await freshDataDir();
});
afterEach(() => {
  child?.kill('SIGKILL');
});
afterAll(() => rm(directory, { recursive: true }));

// Each round on what the round before has left.
it.each([1, 2, 3])(
  'DAT-01 kill -9 while writing, round %i: the directory opens again, with every acknowledged transaction whole',
  { timeout: 90_000 },
  async (round) => {
    child = spawn(
      process.execPath,
      ['--import', 'tsx', join(projectRoot, 'test/faults/write-until-killed.ts'), directory, `r${round}-`],
      { cwd: projectRoot, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const exit = once(child, 'exit');
    let acknowledged = 0;
    if (child.stdout === null) throw new Error('no output');
    for await (const line of createInterface({ input: child.stdout })) {
      if (line !== 'ready') acknowledged = Number(line);
      if (acknowledged === 50) child.kill('SIGKILL');
    }
    await exit;
    expect(acknowledged).toBeGreaterThanOrEqual(50);
    expect(existsSync(join(directory, LOCK_FILE))).toBe(true);

    const database = await openDatabase({ dataDir: directory });
    try {
      const rows = await database.db.selectFrom('rate_limits').selectAll().orderBy('key').execute();
      const keys = new Set(rows.map(({ key }) => key));
      for (let before = 1; before <= round; before += 1)
        expect([before, keys.has(`r${before}-a50`), keys.has(`r${before}-b50`)]).toEqual([before, true, true]);
      for (let row = 1; row <= acknowledged; row += 1)
        expect([row, keys.has(`r${round}-a${row}`), keys.has(`r${round}-b${row}`)]).toEqual([row, true, true]);
      expect(rows.filter(({ key }) => key.includes('-a'))).toHaveLength(
        rows.filter(({ key }) => key.includes('-b')).length,
      );
      await database.db
        .insertInto('rate_limits')
        .values({ key: `after ${round}`, arrival_ms: 0 })
        .execute();
    } finally {
      await database.close();
    }
  },
);
