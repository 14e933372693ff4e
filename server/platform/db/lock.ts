import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as v from 'valibot';
import { StartError } from '../start-error.ts';

/**
 * Another server uses the directory. The embedded database has no lock of its own, so two processes would damage it.
 */
export class DirectoryInUse extends StartError {
  constructor(directory: string, pid: number | undefined) {
    super(
      `The data directory ${directory} is in use by another server (${pid === undefined ? 'in another container or of another user' : `process ${pid}`}). Stop it, or set DATA_DIR to another directory.`,
    );
    this.name = 'DirectoryInUse';
  }
}

export const LOCK_FILE = 'server.lock';
/**
 * Word in a lock file that the kernel locks. Earlier versions wrote only the process's id and start, and trusted these.
 */
const BY_KERNEL = 'kernel';
/** Offset of the locked byte: behind all content, so that other processes can read that (on Windows, too). */
const LOCKED_BYTE = 1 << 30;

/**
 * A way to lock an open file. The kernel holds the lock, across containers, until the file is closed or its process
 * ends.
 */
export interface LockMeans {
  /** `unable` if something is not installed, or the file system has no locks. */
  tryLock(fd: number): 'taken' | 'held' | 'unable';
  /** Whether it can lock folders. Such a lock survives if somebody removes the lock file under a running server. */
  locksFolders: boolean;
}

const Native = v.object({
  tryLock: v.custom<(fd: number, offset: number, length: number) => boolean>((value) => typeof value === 'function'),
});

/** Locks of the open file description, by a native module with binaries for most platforms. */
export const fileLock: LockMeans = {
  // These locks need a writable file.
  locksFolders: false,
  tryLock(fd) {
    try {
      return v.parse(Native, createRequire(import.meta.url)('fs-native-extensions')).tryLock(fd, LOCKED_BYTE, 1)
        ? 'taken'
        : 'held';
    } catch {
      // No binary for this platform, or no locks on this file system: the caller tries the other means.
      return 'unable';
    }
  },
};

/**
 * flock(1) of util-linux or BusyBox. It locks the inherited file, which stays locked while this process has it open.
 */
const program: LockMeans = {
  locksFolders: process.platform !== 'win32',
  tryLock(fd) {
    const { status } = spawnSync('flock', ['-x', '-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
    return status === 0 ? 'taken' : status === 1 ? 'held' : 'unable';
  },
};

/** Take both if possible, because another server may have only one of them. */
export const ALL_LOCKS: readonly LockMeans[] = [fileLock, program];

/**
 * Locks the directory for this process. The lock ends when the process does; children do not inherit it (Node opens
 * every file with close-on-exec).
 * @throws DirectoryInUse, or StartError if no lock works here
 */
export function lockDirectory(directory: string, means: readonly LockMeans[] = ALL_LOCKS): { release(): void } {
  const file = join(directory, LOCK_FILE);
  const folder = lockFolder(directory, means);
  try {
    const lock = lockFile(directory, file, means);
    return {
      release: () => {
        lock.release();
        folder.release();
      },
    };
  } catch (error) {
    folder.release();
    throw error;
  }
}

/**
 * Locks a folder itself, if that works here. Unlike the lock file, it cannot be removed by mistake, and it also works
 * if two data directories lead to one database.
 * @throws DirectoryInUse
 */
export function lockFolder(folder: string, means: readonly LockMeans[] = ALL_LOCKS): { release(): void } {
  const able = means.filter(({ locksFolders }) => locksFolders);
  if (able.length === 0) return { release: () => undefined };
  const fd = openSync(folder, constants.O_RDONLY);
  if (able.some((each) => each.tryLock(fd) === 'held')) {
    closeSync(fd);
    const named = statSync(join(folder, LOCK_FILE), { throwIfNoEntry: false });
    throw new DirectoryInUse(folder, named && runningHolder(readFileSync(join(folder, LOCK_FILE), 'utf8')));
  }
  return { release: () => closeSync(fd) };
}

function lockFile(directory: string, file: string, means: readonly LockMeans[]): { release(): void } {
  for (;;) {
    const fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      const results = means.map((each) => each.tryLock(fd));
      if (results.includes('held')) throw new DirectoryInUse(directory, runningHolder(readFileSync(file, 'utf8')));
      if (!results.includes('taken')) {
        throw new StartError(
          `The data directory ${directory} cannot be locked, so a second server could damage it. Install flock(1) (Debian: apt-get install util-linux), and keep the directory on a file system that has locks.`,
        );
      }
      // A server of an earlier version has a lock file without a lock.
      const before = readFileSync(fd, 'utf8');
      const holder = before.includes(BY_KERNEL) ? undefined : runningHolder(before);
      if (holder !== undefined) throw new DirectoryInUse(directory, holder);
      ftruncateSync(fd);
      writeSync(
        fd,
        [process.pid, processStat(process.pid)?.started ?? '-', BY_KERNEL, namespace() ?? '-'].join(' '),
        0,
      );
      if (process.platform !== 'win32') fchmodSync(fd, 0o600);
      if (isStill(file, fd))
        return {
          release: () => {
            // If somebody has removed it, the path may lead to another server's lock file.
            if (isStill(file, fd)) rmSync(file, { force: true });
            closeSync(fd);
          },
        };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    // The holder has just ended and removed the file, so this lock is on a deleted file: try again.
    closeSync(fd);
  }
}

/** Whether the path leads to the open file. */
function isStill(file: string, fd: number): boolean {
  const [open, found] = [fstatSync(fd), statSync(file, { throwIfNoEntry: false })];
  return found?.ino === open.ino && found.dev === open.dev;
}

/** Id of the process that a lock file names; undefined if it is dead or cannot be seen from here. */
function runningHolder(content: string): number | undefined {
  const [number, started, , where] = content.trim().split(' ');
  // In another container the id means another process.
  if (where !== undefined && where !== (namespace() ?? '-')) return undefined;
  const pid = Number(number);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return undefined;
  }
  const now = processStat(pid);
  if (now === undefined) return pid;
  // A zombie holds nothing. The id may have been reused: a restarted container counts from 1 again.
  return now.state !== 'Z' && (started === undefined || now.started === started) ? pid : undefined;
}

/** The PID namespace (Linux); undefined if unknown. */
function namespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

/** State and start time (clock ticks since boot) of a process (Linux); undefined if unknown. */
function processStat(pid: number): { state: string | undefined; started: string | undefined } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}
