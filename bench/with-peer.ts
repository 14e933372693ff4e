/** Starts a peer (see peer.ts) for as long as a measurement takes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export async function withPeer<T>(kind: 'upload' | 'rest', measure: (url: string) => Promise<T>): Promise<T> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('./peer.ts', import.meta.url)), kind],
    { stdio: ['ignore', 'pipe', 'inherit'], cwd: fileURLToPath(new URL('..', import.meta.url)) },
  );
  try {
    const [port] = await once(child.stdout, 'data');
    return await measure(`http://127.0.0.1:${String(port).trim()}`);
  } finally {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
}
