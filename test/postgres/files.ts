/**
 * Which test files run a second time, on PostgreSQL: those that take a database from `test/server/databases.ts`,
 * directly or by a fixture.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importsOf } from '../lint/imports.ts';

const tests = fileURLToPath(new URL('..', import.meta.url));
/** Tests that only PostgreSQL can pass; nothing else runs them. */
export const ONLY_POSTGRES = 'test/postgres/**/*.test.ts';
/** Tests that need a server with S3, and have a project of their own. */
export const ON_S3 = 'test/s3/**/*.test.ts';
/** Tests that have programs of their own, all that several machines are made of. */
export const ON_CLUSTER = 'test/cluster/**/*.test.ts';

const DATABASES = 'test/server/databases.ts';
/** They keep two cores busy for long with a recognizer or random input, and ask nothing of the database that others don't. */
const HEAVY = ['server/engine/recognizer/embedded.ts', 'test/server/speech-api/live/live-fuzz.ts'];

/** All modules below `test/` that a test file loads, and what they load of the server by name. */
function reach(file: string, known: Map<string, Set<string>>): Set<string> {
  const before = known.get(file);
  if (before !== undefined) return before;
  const all = new Set<string>();
  known.set(file, all);
  for (const imported of importsOf(file)) {
    all.add(imported);
    if (imported.startsWith('test/') && imported.endsWith('.ts'))
      for (const further of reach(imported, known)) all.add(further);
  }
  return all;
}

/** Paths from the root, in order. */
export function filesOnBothDatabases(): string[] {
  const known = new Map<string, Set<string>>();
  const files = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name));
  return files.sort().filter((file) => {
    if (file.startsWith('test/s3/') || file.startsWith('test/cluster/')) return false;
    const loaded = reach(file, known);
    return loaded.has(DATABASES) && !HEAVY.some((heavy) => loaded.has(heavy));
  });
}
