import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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
  const own = `${process.pid} ${processStat(process.pid)?.started ?? ''}`.trim();
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, own, { mode: 0o600 });
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        linkSync(aside, file); // fails if the lock exists: the one step that cannot be won by two
        break;
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
        const found = read(file);
        const holder = holderOf(found);
        if (isAlive(holder)) throw new DirectoryInUse(directory, holder.pid);
        if (attempt >= 3) throw error;
        removeStale(file, `${aside}.stale`, found);
      }
    }
  } finally {
    rmSync(aside, { force: true });
  }
  return { release: () => rmSync(file, { force: true }) };
}

interface Holder { pid: number; started: string | undefined }

function holderOf(content: string): Holder {
  const [pid, started] = content.trim().split(' ');
  return { pid: Number(pid), started };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return '';
    throw error;
  }
}

/** Moves a dead lock away; what turns out to be another process's fresh lock is put back. */
function removeStale(file: string, away: string, content: string): void {
  try {
    renameSync(file, away);
    if (read(away) !== content) linkSync(away, file);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    rmSync(away, { force: true });
  }
}

function isAlive({ pid, started }: Holder): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!isCode(error, 'EPERM')) return false;
  }
  const now = processStat(pid);
  if (now === undefined) return true;
  // A zombie holds nothing any more; and the number may have gone to another process (a restarted container starts counting anew).
  return now.state !== 'Z' && (started === undefined || now.started === started);
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

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
