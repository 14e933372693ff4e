/** Fetches the Node versions for testing releases: unpacks npm's packages of Node into `.cache/node`, each once. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, say } from './setup.mjs';

/** The oldest version that a release runs on, and newer lines that are maintained. */
export const NODES = ['20.19.0', '24.21.0', '26.10.0'];

/** @returns the path of a version's program @throws Error if npm has none for this machine */
export function fetchNode(version) {
  const folder = join(root, '.cache/node', version);
  const program = join(folder, 'package/bin/node');
  if (existsSync(program)) return program;
  say(`Fetching Node ${version} (once)…`);
  const aside = `${folder}.${process.pid}`;
  mkdirSync(aside, { recursive: true });
  const name = `node-${process.platform}-${process.arch}@${version}`;
  const { status, stderr } = spawnSync('npm', ['pack', name, '--silent', '--pack-destination', aside], {
    cwd: aside,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} cannot be fetched: ${stderr}`);
  const archive = readdirSync(aside).find((file) => file.endsWith('.tgz')) ?? '';
  spawnSync('tar', ['-xzf', join(aside, archive), '-C', aside, 'package/bin/node']);
  rmSync(join(aside, archive), { force: true });
  rmSync(folder, { recursive: true, force: true });
  renameSync(aside, folder);
  return program;
}
