/** Entry point of the built server. Checks first what would keep it from loading, and explains that in a sentence. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultWebRoot, reinstall, releaseFile, serverRoot } from './platform/paths.ts';

/** An idle server has 60 files open, the database up to some hundreds; each stream and request needs one or more. */
const DESCRIPTORS = 1024;
/** Files that a build must have. */
const BUILT = [
  join(defaultWebRoot, 'index.html'),
  ...['db-worker', 'speech-worker', 'decode-worker'].map((name) => join(serverRoot, `${name}.js`)),
];

/** How many files this process may have open. Node has raised the soft limit to the hard one. */
function descriptors(): number {
  if (process.platform === 'win32') return Infinity;
  // Otherwise the report looks up host names.
  Reflect.set(process.report, 'excludeNetwork', true);
  const report: unknown = process.report.getReport();
  const limits: unknown = typeof report === 'object' && report !== null ? Reflect.get(report, 'userLimits') : undefined;
  const open: unknown = typeof limits === 'object' && limits !== null ? Reflect.get(limits, 'open_files') : undefined;
  const soft: unknown = typeof open === 'object' && open !== null ? Reflect.get(open, 'soft') : undefined;
  return typeof soft === 'number' ? soft : Infinity;
}

/** The system that a release has native code for, such as `linux-x64`. */
function systemOfRelease(): string | undefined {
  const release: unknown = JSON.parse(readFileSync(releaseFile, 'utf8'));
  const system: unknown = typeof release === 'object' && release !== null ? Reflect.get(release, 'system') : undefined;
  return typeof system === 'string' ? system : undefined;
}

async function begin(): Promise<void> {
  const allowed = descriptors();
  if (allowed < DESCRIPTORS)
    throw new Error(
      `This process may have ${allowed} files open at once, but the server needs ${DESCRIPTORS}. Raise the limit (ulimit -n 4096, or LimitNOFILE= of the service).`,
    );
  const isRelease = existsSync(releaseFile);
  const wanted = isRelease ? systemOfRelease() : undefined;
  const system = `${process.platform}-${process.arch}`;
  if (wanted !== undefined && wanted !== system)
    throw new Error(`This release is for ${wanted}, but this machine is ${system}. Install the release for ${system}.`);
  const missing = BUILT.find((path) => !existsSync(path));
  if (missing !== undefined)
    throw new Error(
      `The build is not complete: ${missing} is missing. ${isRelease ? reinstall : 'Run: npm run build -- --force'}`,
    );
  try {
    await import('./main.ts');
  } catch (error) {
    throw new Error(
      `The installation is not complete: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}. ${reinstall}`,
      { cause: error },
    );
  }
}

begin().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
