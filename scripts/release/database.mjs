/** The empty database that a release brings along, so that a first start has none to make. The same sources make the same bytes. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, say } from '../setup.mjs';

const MIGRATIONS = join(root, 'server/platform/db/migrations');
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Changes with whatever an empty database depends on. */
export function databaseVersion() {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
  for (const name of readdirSync(MIGRATIONS).sort()) hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  return hash.digest('hex').slice(0, 16);
}

/** Makes it, once per state of the migrations. @returns its folder */
export function emptyDatabase(cache = join(root, '.cache/release')) {
  const kept = join(cache, `database-${databaseVersion()}`);
  if (existsSync(kept)) return kept;
  say('Making the empty database…');
  const dataDir = `${kept}.${process.pid}`;
  mkdirSync(dataDir, { recursive: true });
  // Code that is compiled once and for all: optimizing it meanwhile takes longer than it saves.
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--liftoff-only', '--import', here('fixed.mjs'), here('make-database.mjs'), dataDir],
    { cwd: root, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The empty database could not be made:\n${stderr}`);
  renameSync(join(dataDir, 'database'), kept);
  rmSync(dataDir, { recursive: true });
  return kept;
}
