/** Makes the empty database of a release, which makes a first start faster. The same sources make the same bytes. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root, say } from '../setup.mjs';

const MIGRATIONS = join(root, 'server/platform/db/migrations');
/** Lists the migrations. */
const SCHEMA = join(root, 'server/platform/db/schema.ts');
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** A hash of everything that an empty database depends on. */
export function databaseVersion() {
  const hash = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(readFileSync(SCHEMA));
  for (const name of readdirSync(MIGRATIONS).sort()) hash.update(name).update(readFileSync(join(MIGRATIONS, name)));
  return hash.digest('hex').slice(0, 16);
}

/** Makes the empty database, once per {@link databaseVersion}. @returns its folder */
export function emptyDatabase(cache = join(root, '.cache/release')) {
  const kept = join(cache, `database-${databaseVersion()}`);
  if (existsSync(kept)) return kept;
  say('Making the empty database…');
  const dataDir = `${kept}.${process.pid}`;
  mkdirSync(dataDir, { recursive: true });
  // Without optimized code: in this short run, optimizing takes longer than it saves.
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
