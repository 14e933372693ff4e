/** Which test files run a second time, on PostgreSQL: those that take a database from `test/server/databases.ts`, directly or by a fixture. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { resolveImport, specifiersOf } from '../lint/imports.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Tests that only PostgreSQL can pass; nothing else runs them. */
export const ONLY_POSTGRES = 'test/postgres/**/*.test.ts';
/** Tests that need a server with S3, and have a project of their own. */
export const ON_S3 = 'test/s3/**/*.test.ts';
/** Tests that have programs of their own, all that several machines are made of. */
export const ON_CLUSTER = 'test/cluster/**/*.test.ts';

const DATABASES = join(root, 'test/server/databases.ts');
/** They keep two cores busy for long with a recognizer or random input, and ask nothing of the database that others don't. */
const HEAVY = [
  join(root, 'server/engine/recognizer/embedded.ts'),
  join(root, 'test/server/speech-api/live/live-fuzz.ts'),
];

/** Paths of the modules that a file of the tests names in its imports, types included. */
function importsOf(file: string): string[] {
  const specifiers = specifiersOf(file, readFileSync(file, 'utf8'), () => undefined);
  return specifiers.flatMap((specifier) => {
    const path = resolveImport(relative(root, file), specifier);
    return path === undefined ? [] : [join(root, path)];
  });
}

/** All modules below `test/` that a test file loads, and what they load of the server by name. */
function reach(file: string, known: Map<string, Set<string>>): Set<string> {
  const before = known.get(file);
  if (before !== undefined) return before;
  const all = new Set<string>();
  known.set(file, all);
  for (const imported of importsOf(file)) {
    all.add(imported);
    if (imported.startsWith(join(root, 'test/')) && imported.endsWith('.ts'))
      for (const further of reach(imported, known)) all.add(further);
  }
  return all;
}

/** Paths from the root, in order. */
export function filesOnBothDatabases(): string[] {
  const known = new Map<string, Set<string>>();
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name));
  return files.sort().filter((file) => {
    if (file.startsWith('test/s3/') || file.startsWith('test/cluster/')) return false;
    const loaded = reach(join(root, file), known);
    return loaded.has(DATABASES) && !HEAVY.some((heavy) => loaded.has(heavy));
  });
}
