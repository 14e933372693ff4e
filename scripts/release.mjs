/**
 * `npm run release [-- --wasm]`: makes an archive in `.cache/release` that needs only Node, for systems like this one.
 * `--wasm` leaves out ONNX Runtime's native build. `--into FOLDER` writes the files there, unpacked.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  createReadStream,
  createWriteStream,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { root, say, setUp } from './setup.mjs';

const PACKAGE = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const CACHE = join(root, '.cache/release');
/** Time of every file in an archive. The server's caching headers do not depend on it. */
const FILE_TIME = '2026-01-01 00:00Z';
/** Gives `require` to CommonJS packages that are bundled as modules. */
const REQUIRE = `import { createRequire as createBundleRequire } from 'node:module';
const require = createBundleRequire(import.meta.url);`;

/**
 * Writes the files of a release.
 * @param {string} folder must not exist yet
 * @param {{ wasm?: boolean }} [options]
 */
export async function layOut(folder, { wasm = false } = {}) {
  const { buildAll, buildServer, MODULES_OF_WEB, SERVER_ENTRIES } = await import('./build.mjs');
  const { copyPackages, EXTERNAL, packageOf, SYSTEM } = await import('./release/files.mjs');
  const { noticesOf } = await import('./release/licences.mjs');
  const { emptyDatabase } = await import('./release/database.mjs');
  const { register } = await import('tsx/esm/api');
  register();
  const { MODEL_FILES } = await import('../server/engine/recognizer/model-files.ts');

  mkdirSync(folder, { recursive: true });
  await buildAll();
  const { metafile } = await buildServer(folder, {
    packages: 'bundle',
    external: EXTERNAL,
    // Prefers ES modules: an import() of a bundled CommonJS package has no named exports.
    mainFields: ['module', 'main'],
    banner: { js: REQUIRE },
    sourcemap: false,
    metafile: true,
  });
  requireNames(metafile);
  cpSync(join(root, 'dist/web'), join(folder, 'dist/web'), { recursive: true });
  cpSync(emptyDatabase(), join(folder, 'empty-database'), { recursive: true });
  cpSync(join(root, 'ops'), join(folder, 'ops'), { recursive: true });
  for (const page of ['operating', 'settings', 'billing', 'metrics'])
    cpSync(join(root, `docs/${page}.md`), join(folder, `docs/${page}.md`));

  const models = Object.values(MODEL_FILES).map(({ path }) => path);
  const separate = copyPackages(folder, { wasm, models });
  const bundled = [
    ...Object.keys(metafile.inputs),
    ...JSON.parse(readFileSync(MODULES_OF_WEB, 'utf8')),
    ...models.map((path) => `node_modules/${path}`),
  ];
  const names = new Set([...bundled.map(packageOf).filter((name) => name !== undefined), ...separate]);
  writeFileSync(
    join(folder, 'THIRD-PARTY-NOTICES'),
    noticesOf([...names].map((name) => ({ name, isReplaceable: separate.includes(name) }))),
  );

  const programs = Object.keys(SERVER_ENTRIES).filter((name) => !name.endsWith('-worker'));
  for (const name of programs) writeFileSync(join(folder, `${launcherOf(name)}.js`), launcher(name));
  const { name, version, engines } = PACKAGE;
  const scripts = Object.fromEntries(
    programs.map((program) => [program === 'main' ? 'start' : program, `node ${launcherOf(program)}.js`]),
  );
  writeJson(join(folder, 'package.json'), { name, version, private: true, type: 'module', engines, scripts });
  writeJson(join(folder, 'release.json'), {
    version,
    commit: commit(),
    system: SYSTEM,
    recognizer: wasm ? 'wasm' : 'native',
  });
  cpSync(join(root, 'scripts/release/README.md'), join(folder, 'README.md'));
}

/** @throws Error if our own code uses `import()` of a bundled CommonJS package, which has no named exports then */
function requireNames({ inputs }) {
  for (const [source, { imports }] of Object.entries(inputs))
    for (const { kind, path } of imports)
      if (kind === 'dynamic-import' && !source.includes('node_modules') && inputs[path]?.format === 'cjs')
        throw new Error(`${source} cannot import() ${path} in a bundle.`);
}

const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** The launcher's name: `server` for the server, else the program's own. */
const launcherOf = (program) => (program === 'main' ? 'server' : program);

/** Checks Node's version before loading code that an older Node cannot parse. */
function launcher(program) {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(PACKAGE.engines.node) ?? [];
  if (minor === undefined) throw new Error('engines.node in package.json must be >=MAJOR.MINOR.');
  return `const [major, minor] = process.versions.node.split('.').map(Number);
if (major > ${major} || (major === ${major} && minor >= ${minor})) await import('./dist/server/${program}.js');
else {
  process.stderr.write(\`This needs Node ${major}.${minor} or newer; this is \${process.versions.node}.\\n\`);
  process.exitCode = 1;
}
`;
}

/** The commit of the sources; undefined if there are uncommitted changes. */
function commit() {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const { status, stdout } = git('rev-parse', 'HEAD');
  return status === 0 && git('status', '--porcelain').stdout === '' ? stdout.trim() : undefined;
}

/** Arguments of tar that make the archive independent of this machine's file order, times, owners and modes. */
const TAR = [
  '--sort=name',
  `--mtime=${FILE_TIME}`,
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u=rwX,go=rX',
  '--format=ustar',
];

/** Packs a folder under its own name. The same files make the same bytes. @returns the archive's SHA-256 */
export async function pack(folder, archive) {
  const tar = `${archive}.tar`;
  const args = ['-cf', tar, ...TAR, '-C', dirname(folder), basename(folder)];
  const { status, stderr } = spawnSync('tar', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`GNU tar is needed to pack a release: ${stderr}`);
  await pipeline(createReadStream(tar), createGzip({ level: 9 }), createWriteStream(archive));
  rmSync(tar);
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  return hash.digest('hex');
}

async function main(args) {
  const wasm = args.includes('--wasm');
  const into = args.includes('--into') ? args[args.indexOf('--into') + 1] : undefined;
  if (into !== undefined) return layOut(resolve(into), { wasm });
  const name = `${PACKAGE.name}-${PACKAGE.version}${wasm ? '-wasm' : ''}`;
  const folder = join(CACHE, name);
  const archive = join(CACHE, `${name}.tar.gz`);
  for (const old of [folder, archive]) if (existsSync(old)) rmSync(old, { recursive: true });
  await layOut(folder, { wasm });
  const sum = await pack(folder, archive);
  rmSync(folder, { recursive: true });
  say(`${archive}\n  SHA-256 ${sum}`);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  setUp();
  await main(process.argv.slice(2));
}
