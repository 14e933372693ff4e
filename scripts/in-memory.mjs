/** A folder in memory for what the tests write: databases and recordings, thousands of files that no disk has to keep. */
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const SHARED_MEMORY = '/dev/shm';
const TMPFS = 0x01021994;
/** A run of every test writes a few gigabytes; half of the memory is for its processes. */
const BYTES_NEEDED = 8 * 1024 ** 3;

/** The folder's path, or undefined where memory is short or not to be had as a folder. It goes when this process ends. */
export function folderInMemory() {
  if (process.platform !== 'linux' || process.env['TMPDIR'] !== undefined || freemem() < 2 * BYTES_NEEDED)
    return undefined;
  try {
    const { type, bavail, bsize } = statfsSync(SHARED_MEMORY);
    if (type !== TMPFS || bavail * bsize < BYTES_NEEDED) return undefined;
    removeLeft();
    const folder = mkdtempSync(join(SHARED_MEMORY, `parlance-${process.pid}-`));
    // PostgreSQL may run as another user, in a folder of its own below.
    chmodSync(folder, 0o711);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return folder;
  } catch {
    return undefined;
  }
}

/** Removes what a run, or a faketime, left that was killed: it would stay in memory. */
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
