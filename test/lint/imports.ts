/** What the sources import, types and `import()` included. Lint refuses types written as `import('…').X`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Paths of the TypeScript files below a folder, from the root of the repository. */
export const sourcesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => posix.join(folder, name));

/** The paths, from the root of the repository, that a file imports or re-exports; libraries are left out. */
export function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  const named = [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map(({ moduleRequest }) => moduleRequest?.value ?? '')),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ];
  return [...new Set(named)].flatMap((name) => {
    const path = name.replace(/\?.*$/, '');
    // `imports` in package.json: `#server/…` is the folder of that name.
    if (path.startsWith('#')) return [path.slice(1)];
    return path.startsWith('.') ? [posix.join(posix.dirname(file), path)] : [];
  });
}
