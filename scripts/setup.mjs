/**
 * Every command runs this first: it checks Node's version, and installs the lockfile's packages. Uses only Node's
 * built-ins, because nothing is installed yet. It is no pre-script, because npm skips these under `ignore-scripts`.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Prints one line of progress. */
export const say = (text) => console.log(`• ${text}`);

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Parlance Console needs Node 20.19 or newer; this is ${process.versions.node}.`);
  process.exit(1);
}

/** Installs packages if lockfile or platform have changed. If that fails, exits with npm's code. */
export function setUp() {
  checkNode();
  const stamp = join(root, 'node_modules', '.installed-lock');
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const want = `${lock} ${process.platform}-${process.arch}`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === want) return;
  const started = Date.now();
  say('Installing packages (once)…');
  const npm = process.env['npm_execpath'];
  const args = ['ci', '--no-audit', '--no-fund'];
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: root, stdio: 'inherit' })
    : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: true });
  if (result.status !== 0) process.exit(result.status ?? 1);
  writeFileSync(stamp, want);
  say(`Packages installed in ${Math.round((Date.now() - started) / 1000)} s.`);
}
