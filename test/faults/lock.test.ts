import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EMBEDDED_MAJOR } from '#server/platform/data-dir.ts';
import { ALL_LOCKS, DirectoryInUse, LOCK_FILE, lockDirectory } from '#server/platform/db/lock.ts';
import { openAsIs } from '#server/platform/db/open.ts';
import { PgliteHost } from '#server/platform/db/pglite.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { testFolder } from '../server/template.ts';

let directory: string;
let lockFile: string;
const started: number[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(testFolder, 'lock-'));
  lockFile = join(directory, LOCK_FILE);
});
afterEach(() => {
  for (const pid of started.splice(0)) if (isRunning(pid)) process.kill(pid, 'SIGKILL');
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Processes that see only themselves, as in a container; without root, as the root of a user namespace. */
const CONTAINER = [
  'unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  '--pid',
  '--fork',
  '--kill-child',
  '--mount-proc',
];

/** What a process says that wants the lock, and the process. */
async function holder(...before: string[]): Promise<{ child: ChildProcess; says: string }> {
  const [program = process.execPath, ...args]: string[] = [
    ...before,
    process.execPath,
    '--import',
    'tsx',
    join(projectRoot, 'test/faults/hold-lock.ts'),
    directory,
  ];
  const child = spawn(program, args, { cwd: projectRoot, stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.pid !== undefined) started.push(child.pid);
  for await (const line of createInterface({ input: child.stdout })) return { child, says: line };
  throw new Error('The process said nothing.');
}

const inUse = (by: string): string =>
  `The data directory ${directory} is in use by another server (${by}). Stop it, or set DATA_DIR to another directory.`;

/** When a process began, as the kernel tells it. */
function beginOf(pid: number): string | undefined {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

const end = async (child: ChildProcess): Promise<void> => {
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
};

describe('the lock on the data directory', { timeout: 60_000 }, () => {
  it('DAT-01 holds across PID namespaces, names the directory, and ends with its process', async () => {
    const { child, says } = await holder(...CONTAINER);
    expect(says).toMatch(/^locked /);
    expect(() => lockDirectory(directory)).toThrow(inUse('in another container or of another user'));
    await end(child);
    // What ends with the outer process is the namespace, a moment later.
    await expect.poll(() => lockDirectory(directory)).toHaveProperty('release');
  });

  it('DAT-01 names the process that has it, and ends with kill -9 although a child of that process lives on', async () => {
    const { child, says } = await holder();
    const left = Number(/^locked (\d+)$/.exec(says)?.[1]);
    started.push(left);
    expect(() => lockDirectory(directory)).toThrow(inUse(`process ${child.pid}`));
    await end(child);
    expect(isRunning(left)).toBe(true);
    expect(existsSync(lockFile)).toBe(true);
    const lock = lockDirectory(directory);
    expect(readFileSync(lockFile, 'utf8')).toMatch(new RegExp(`^${process.pid} \\S+ kernel pid:\\[\\d+\\]$`));
    expect(statSync(lockFile).mode & 0o777).toBe(0o600);
    lock.release();
  });

  it.each([0, 1])(
    'DAT-01 either means of the kernel is enough by itself (%i), and one that has both respects it',
    (index) => {
      const one = ALL_LOCKS.slice(index, index + 1);
      const lock = lockDirectory(directory, one);
      expect(() => lockDirectory(directory, one)).toThrow(DirectoryInUse);
      expect(() => lockDirectory(directory)).toThrow(DirectoryInUse);
      lock.release();
      lockDirectory(directory).release();
    },
  );

  it("DAT-01 a lock file removed under a running server lets no other in, and that server's end removes no later file", () => {
    const lock = lockDirectory(directory);
    rmSync(lockFile);
    expect(() => lockDirectory(directory)).toThrow(DirectoryInUse);
    writeFileSync(lockFile, 'of somebody else');
    lock.release();
    expect(readFileSync(lockFile, 'utf8')).toBe('of somebody else');
  });

  it('DAT-01 two data directories that lead to one database are not served at once', async () => {
    const folder = join(directory, 'database');
    mkdirSync(folder);
    writeFileSync(join(folder, 'PG_VERSION'), EMBEDDED_MAJOR);
    const other = mkdtempSync(join(testFolder, 'lock-'));
    symlinkSync(folder, join(other, 'database'));
    // Nothing is asked of the database itself.
    const opening = vi.spyOn(PgliteHost, 'open').mockResolvedValue({ close: async () => {} } as PgliteHost);
    onTestFinished(() => opening.mockRestore());
    const database = await openAsIs({ dataDir: directory });
    await expect(openAsIs({ dataDir: other })).rejects.toThrow(/database is in use by another server/);
    await database.close();
    await (await openAsIs({ dataDir: other })).close();
  });

  it('DAT-01 a number of another PID namespace is not told as one of this', () => {
    const fd = openSync(lockFile, 'w+');
    const begun = beginOf(process.pid);
    writeFileSync(lockFile, `${process.pid} ${begun} kernel pid:[1]`);
    expect(ALL_LOCKS[0]?.tryLock(fd)).toBe('taken');
    expect(() => lockDirectory(directory)).toThrow(/in another container or of another user/);
    writeFileSync(lockFile, `${process.pid} ${begun} kernel`);
    expect(() => lockDirectory(directory)).toThrow(`process ${process.pid}`);
    closeSync(fd);
  });

  it('DAT-01 where no lock can be had, it is refused with what to do', () => {
    expect(() => lockDirectory(directory, [])).toThrow(
      /^The data directory \S+ cannot be locked, .* Install flock\(1\)/,
    );
    expect(() => lockDirectory(directory, [{ tryLock: () => 'unable', locksFolders: true }])).toThrow(
      /cannot be locked/,
    );
  });

  it('DAT-01 a server of an earlier version, which has the file and no lock, keeps the directory while it lives', () => {
    writeFileSync(lockFile, '1');
    expect(() => lockDirectory(directory)).toThrow(/in use by another server \(process 1\)/);
    // A number that Linux gives to no process.
    writeFileSync(lockFile, String(2 ** 22 + 1));
    lockDirectory(directory).release();
  });

  it.each(['', 'nonsense', `${process.pid} 1`, `${process.ppid} - kernel`])(
    'DAT-01 what a dead server has left is taken over: %j',
    (content) => {
      writeFileSync(lockFile, content);
      lockDirectory(directory).release();
      expect(existsSync(lockFile)).toBe(false);
    },
  );

  it('DAT-01 of a server that locked by the kernel, the lock alone counts: not its number, which may be another process by now', () => {
    const begun = beginOf(process.ppid);
    writeFileSync(lockFile, `${process.ppid} ${begun}`);
    expect(() => lockDirectory(directory)).toThrow(DirectoryInUse);
    writeFileSync(lockFile, `${process.ppid} ${begun} kernel`);
    lockDirectory(directory).release();
    expect(existsSync(lockFile)).toBe(false);
  });
});
