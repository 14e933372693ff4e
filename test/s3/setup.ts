/** Starts the server for the tests of buckets, and tells their workers where it is; without Swift each of them says so. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSwift } from '../../scripts/swift.mjs';

/** In the environment of the tests' workers: the address of the server. */
export const S3_VARIABLE = 'TEST_S3';

export interface ObjectStore {
  /** Address of the server. */
  url: string;
  stop(): Promise<void>;
}

/** @returns undefined without Swift. @throws when it does not start */
export async function startSwift(): Promise<ObjectStore | undefined> {
  const swift = findSwift();
  if (swift === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'parlance-swift-'));
  const script = fileURLToPath(new URL('serve.py', import.meta.url));
  const server = spawn(swift.python, ['-W', 'ignore', script, folder], {
    env: { ...process.env, ...swift.env },
    // With a group of its own an interrupt of the tests does not end it before they have ended.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const kill = (): void => void server.kill('SIGKILL');
  process.once('exit', kill);
  const end = once(server, 'exit');
  let said = '';
  server.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  const port = await Promise.race([once(server.stdout, 'data').then(String), end.then(() => '')]);
  if (!/^\d+\s*$/.test(port)) throw new Error(`OpenStack Swift does not start: ${said}`);
  return {
    url: `http://127.0.0.1:${port.trim()}`,
    async stop() {
      process.off('exit', kill);
      kill();
      await end;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export default async function startForRun(): Promise<(() => Promise<void>) | undefined> {
  const store = await startSwift();
  if (store === undefined) return undefined;
  process.env[S3_VARIABLE] = store.url;
  return async () => {
    delete process.env[S3_VARIABLE];
    await store.stop();
  };
}
