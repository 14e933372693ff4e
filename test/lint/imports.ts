/** The import graph of the sources, types and dynamic imports included, read with a parser. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync, Visitor } from 'oxc-parser';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** File → the files of the graph that it imports. Paths from the root of the repository. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** Path → text. */
export type Sources = ReadonlyMap<string, string>;

/** The TypeScript sources below the given folders. */
export function readSources(...folders: readonly string[]): Sources {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => posix.join(folder, name)),
  );
  return new Map(paths.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/**
 * What a file imports or re-exports, as it is written: values or types, at the top, in `import()`, or within a type.
 * @param computed called for an `import()` whose address is not written out
 * @throws Error for a text that is not TypeScript
 */
export function specifiersOf(path: string, text: string, computed: () => void = () => refuseComputed(path)): string[] {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path} cannot be parsed: ${error.message}`);
  const found = new Set<string>();
  new Visitor({
    ImportDeclaration: ({ source }) => void found.add(source.value),
    ExportAllDeclaration: ({ source }) => void found.add(source.value),
    ExportNamedDeclaration: ({ source }) => void (source && found.add(source.value)),
    TSImportType: ({ source }) => void found.add(source.value),
    TSExternalModuleReference: ({ expression }) => void found.add(expression.value),
    ImportExpression({ source }) {
      if (source.type === 'Literal' && typeof source.value === 'string') return void found.add(source.value);
      const [only] = source.type === 'TemplateLiteral' && source.expressions.length === 0 ? source.quasis : [];
      if (only) found.add(only.value.raw);
      else computed();
    },
  }).visit(program);
  return [...found];
}

function refuseComputed(path: string): never {
  throw new Error(`${path} imports an address that it computes. Write the address out, so that it can be checked.`);
}

/**
 * The path that an import leads to, from the root of the repository; undefined for a library.
 * `#server/…` and its like are the folders of that name (`imports` in package.json).
 */
export function resolveImport(from: string, specifier: string): string | undefined {
  const path = specifier.replace(/\?.*$/, '');
  if (path.startsWith('#')) return path.slice(1);
  return path.startsWith('.') ? posix.join(posix.dirname(from), path) : undefined;
}

/** Who imports whom among these files; libraries and other files are left out. */
export function graphOf(sources: Sources): ImportGraph {
  return new Map(
    [...sources].map(([path, text]) => {
      const targets = specifiersOf(path, text).map((specifier) => resolveImport(path, specifier));
      return [path, targets.filter((target): target is string => target !== undefined && sources.has(target))];
    }),
  );
}
