import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The embedded database has no lock of its own: two processes in one directory would silently diverge. */
export class DirectoryInUse extends Error {
  constructor(directory: string, pid: number) {
    super(`The data directory ${directory} is in use by another server (process ${pid}). Stop it, or set DATA_DIR to another directory.`);
    this.name = 'DirectoryInUse';
  }
}

const LOCK_FILE = 'server.lock';

/**
 * Takes the directory for this process. A lock left by a process that no longer lives is taken over.
 * @throws DirectoryInUse
 */
export function lockDirectory(directory: string): { release(): void } {
  const file = join(directory, LOCK_FILE);
  const own = `${process.pid} ${startTime(process.pid) ?? ''}`.trim();
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, own, { mode: 0o600 });
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        linkSync(aside, file); // fails if the lock exists: the one step that cannot be won by two
        break;
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
        const holder = readHolder(file);
        if (holder !== undefined && isAlive(holder)) throw new DirectoryInUse(directory, holder.pid);
        if (attempt >= 3) throw error;
        rmSync(file, { force: true });
      }
    }
  } finally {
    rmSync(aside, { force: true });
  }
  return { release: () => rmSync(file, { force: true }) };
}

interface Holder { pid: number; started: string | undefined }

function readHolder(file: string): Holder | undefined {
  try {
    const [pid, started] = readFileSync(file, 'utf8').trim().split(' ');
    return { pid: Number(pid), started };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isAlive({ pid, started }: Holder): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!isCode(error, 'EPERM')) return false;
  }
  // The number may have gone to another process meanwhile (a restarted container starts counting anew).
  return started === undefined || startTime(pid) === undefined || startTime(pid) === started;
}

/** Start time of a process in clock ticks since boot, where the system tells it (Linux). */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
