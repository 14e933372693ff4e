/** Makes a folder in memory for the thousands of files that tests write. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
/** A run of all tests writes a few gigabytes. Twice this much memory must be free, half of it for processes. */
const BYTES_NEEDED = 8 * 1024 ** 3;

/** The folder's path; undefined if there is too little memory or no tmpfs. Removed when this process ends. */
export function folderInMemory() {
  if (process.platform !== 'linux' || process.env['TMPDIR'] !== undefined || freemem() < 2 * BYTES_NEEDED)
    return undefined;
  try {
    const { type, bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (type !== TMPFS || bavail * bsize < BYTES_NEEDED) return undefined;
    removeLeft();
    const folder = mkdtempSync(join(SHARED_MEMORY, `parlance-${process.pid}-`));
    // Other users may enter, because PostgreSQL may run as another user in a subfolder.
    chmodSync(folder, 0o711);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  } catch {
    return undefined;
  }
}

/** Removes files that killed runs, or faketime in them, have left in memory. */
function removeLeft() {
  for (const name of readdirSync(SHARED_MEMORY)) {
    const [, pid] = /^(?:parlance-|faketime_shm_|sem\.faketime_sem_)(\d+)(?:-|$)/.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid)))
      rmSync(join(SHARED_MEMORY, name), { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch ({ code }) {
    return code === 'EPERM';
  }
}
