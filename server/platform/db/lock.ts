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

/** The embedded database has no lock of its own: two processes in one directory would silently diverge. */
export class DirectoryInUse extends StartError {
  constructor(directory: string, pid: number | undefined) {
    super(
      `The data directory ${directory} is in use by another server (${pid === undefined ? 'in another container or of another user' : `process ${pid}`}). Stop it, or set DATA_DIR to another directory.`,
    );
    this.name = 'DirectoryInUse';
  }
}

export const LOCK_FILE = 'server.lock';
/** In the file of a server that holds it by the kernel. Earlier versions wrote their process number and its start only, and trusted them. */
const BY_KERNEL = 'kernel';
/** The byte that is locked: behind all content, because other processes must be able to read that (on Windows too). */
const LOCKED_BYTE = 1 << 30;

/** A lock on an open file that the kernel keeps, across containers, until the file is closed or its process ends. */
export interface LockMeans {
  /** `unable`: it can't be had here, because something is not installed, or the file system has none. */
  tryLock(fd: number): 'taken' | 'held' | 'unable';
  /** Whether it locks folders, too: those stay what they are where somebody removes the file under a running server. */
  locksFolders: boolean;
}

const Native = v.object({
  tryLock: v.custom<(fd: number, offset: number, length: number) => boolean>((value) => typeof value === 'function'),
});

/** Locks of the open file description, by a module that comes with a binary for most platforms. */
export const fileLock: LockMeans = {
  // They want what is open to be writable.
  locksFolders: false,
  tryLock(fd) {
    try {
      return v.parse(Native, createRequire(import.meta.url)('fs-native-extensions')).tryLock(fd, LOCKED_BYTE, 1)
        ? 'taken'
        : 'held';
    } catch {
      // No binary for this platform, or a file system without locks: the other means are asked, and without any nothing starts.
      return 'unable';
    }
  },
};

/** flock(1), of util-linux and BusyBox: it locks the file that it inherits, which stays locked while this process has it open. */
const program: LockMeans = {
  locksFolders: process.platform !== 'win32',
  tryLock(fd) {
    const { status } = spawnSync('flock', ['-x', '-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
    return status === 0 ? 'taken' : status === 1 ? 'held' : 'unable';
  },
};

/** Both are taken where both are there: another server may have only one of them. */
export const ALL_LOCKS: readonly LockMeans[] = [fileLock, program];

/**
 * Takes the directory for this process. The lock ends with it, however it ends; no child inherits it (Node opens every file
 * with close-on-exec).
 * @throws DirectoryInUse, or StartError where no lock can be had
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
 * Locks a folder itself, where that can be had. It covers what the file in it does not: the file may be taken for rubbish
 * and removed, and two data directories may lead to one database.
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
      // A server of an earlier version has the file and no lock.
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
            // Whoever removed it may have made another one meanwhile.
            if (isStill(file, fd)) rmSync(file, { force: true });
            closeSync(fd);
          },
        };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    // Its holder has just ended and removed it: what was locked is no longer the file of that name.
    closeSync(fd);
  }
}

/** Whether the path leads to the open file. */
function isStill(file: string, fd: number): boolean {
  const [open, found] = [fstatSync(fd), statSync(file, { throwIfNoEntry: false })];
  return found?.ino === open.ino && found.dev === open.dev;
}

/** The process that a lock file names, if it lives and can be seen from here. */
function runningHolder(content: string): number | undefined {
  const [number, started, , where] = content.trim().split(' ');
  // In another container its number means another process, or none.
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
  // A zombie holds nothing any more; and the number may have gone to another process (a restarted container starts counting anew).
  return now.state !== 'Z' && (started === undefined || now.started === started) ? pid : undefined;
}

/** Which processes this one can number (Linux); undefined where the system does not tell. */
function namespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

/** State and start time (clock ticks since boot) of a process, where the system tells them (Linux). */
function processStat(pid: number): { state: string | undefined; started: string | undefined } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], started: fields[19] };
  } catch {
    return undefined;
  }
}
