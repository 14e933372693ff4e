/** What a page loads of the built console, read from the build's manifest. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as v from 'valibot';

const Chunk = v.object({
  file: v.string(),
  imports: v.optional(v.array(v.string()), []),
  css: v.optional(v.array(v.string())),
});
const Manifest = v.record(v.string(), Chunk);
type Manifest = v.InferOutput<typeof Manifest>;

const WEB_ROOT = join(import.meta.dirname, '../dist/web');

/** What every page of the console has loaded by the time that it can be used. */
const INSIDE = [
  'index.html',
  'src/effects/http/sending.ts',
  'src/effects/provide/console.ts',
  'src/views/shell/ConsoleLayout.tsx',
];

/** The modules behind each page: what it begins with, and what it fetches by then. */
export const PAGES = {
  signIn: ['index.html'],
  signUp: ['index.html', 'src/effects/provide/visitor.ts', 'src/views/accounts/VisitorScreens.tsx'],
  playground: [...INSIDE, 'src/views/playground/PlaygroundPage.tsx'],
  dashboard: [...INSIDE, 'src/views/organization/DashboardPage.tsx'],
} satisfies Record<string, readonly string[]>;

/** What is fetched only where it is used: strength of passwords, animations, the inspector's stream, charts. */
export const LATE = [
  'src/effects/browser/passwordEstimator.ts',
  'src/theme/motion.ts',
  'src/effects/inspect/inspect.ts',
  'src/views/ui/usage/plots.ts',
] as const;

/** @param webRoot of another build than this folder's */
export const readManifest = (webRoot = WEB_ROOT): Manifest =>
  v.parse(Manifest, JSON.parse(readFileSync(join(webRoot, '.vite/manifest.json'), 'utf8')));

/** The console's page, as the build leaves it to the server. */
export const readPage = (): string => readFile('index.html');

/** The text of a file of the built console. */
const readFile = (name: string): string => readFileSync(join(WEB_ROOT, name), 'utf8');

/** The script files of some modules with all that they import at once. @throws Error for a module without a file of its own */
export function filesOf(manifest: Manifest, modules: readonly string[]): Set<string> {
  const seen = new Set<string>();
  const files = new Set<string>();
  const visit = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    const chunk = manifest[name];
    if (!chunk) throw new Error(`The build has no file for ${name}.`);
    files.add(chunk.file);
    chunk.imports.forEach(visit);
  };
  modules.forEach(visit);
  return files;
}

/** In kB of 1000 bytes, each file compressed by itself. */
export const gzippedKilobytes = (files: Iterable<string>, webRoot = WEB_ROOT): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(webRoot, file)), { level: 9 }).length, 0) / 1000;
