/**
 * A process of its own: takes the lock of a directory, starts a child that outlives it, says so with the child's
 * number, and waits. Or says why it cannot.
 */
import { spawn } from 'node:child_process';
import { lockDirectory } from '#server/platform/db/lock.ts';

try {
  lockDirectory(process.argv[2] ?? '');
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)'], { detached: true, stdio: 'ignore' });
  process.stdout.write(`locked ${child.pid}\n`);
  setInterval(() => {}, 60_000);
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
