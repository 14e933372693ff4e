/** Packages outside of the bundle: they load files or native code of their own, or must stay replaceable. */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../setup.mjs';

/** The system that a release made here is for. */
export const SYSTEM = `${process.platform}-${process.arch}`;

const SCRIPTS = /\.(?:c|m)?js(?:on)?$/;

/** Files that the server reads of each package. A release with `--wasm` lacks only `onnxruntime-node`. */
const PACKAGES = {
  '@electric-sql/pglite': /^dist\/(?:[\w-]+\.js|(?:pglite|initdb)\.wasm|pglite\.data|fs\/(?:nodefs|base)\.js)$/,
  '@eshaz/web-worker': /^cjs\/node\.js$/,
  '@node-rs/argon2': /^index\.js$/,
  [`@node-rs/argon2-${SYSTEM}${process.platform === 'linux' ? '-gnu' : ''}`]: /\.node$/,
  '@wasm-audio-decoders/common': SCRIPTS,
  'bare-addon-resolve': SCRIPTS,
  'bare-module-resolve': SCRIPTS,
  'bare-semver': SCRIPTS,
  'codec-parser': SCRIPTS,
  'fs-native-extensions': new RegExp(`^(?:index|binding)\\.js$|^prebuilds/${SYSTEM}/.*\\.node$`),
  'mpg123-decoder': /^(?:index|src\/.*)\.js$/,
  'onnxruntime-common': /^dist\/(?:cjs|esm)\/.*\.js(?:on)?$/,
  'onnxruntime-node': new RegExp(`^dist/.*\\.js$|^bin/napi-v6/${process.platform}/${process.arch}/`),
  'onnxruntime-web': /^dist\/ort(?:\.node\.min\.mjs|-wasm-simd-threaded\.(?:mjs|wasm))$/,
  'require-addon': /^lib\/node\.js$/,
  'simple-yenc': /^dist\/.*\.js$/,
  'which-runtime': SCRIPTS,
};

/** Packages outside of the bundle. A release lacks the last two, which only `pg` (if present) and `--dev` load. */
export const EXTERNAL = [...Object.keys(PACKAGES), 'pg-native', 'vite'];

/**
 * Copies the packages' files and the models into `node_modules` of a folder.
 * @param {string} folder
 * @param {{ wasm: boolean, models: readonly string[] }} options models: paths below `node_modules`
 * @returns the names of the packages
 */
export function copyPackages(folder, { wasm, models }) {
  const names = Object.keys(PACKAGES).filter((name) => !wasm || name !== 'onnxruntime-node');
  for (const name of names) {
    const files = filesOf(name).filter((file) => file === 'package.json' || PACKAGES[name].test(file));
    if (files.length < 2) throw new Error(`${name} has other files now: its pattern matches none.`);
    for (const file of files) copy(folder, `${name}/${file}`);
    requireDependencies(name, names);
  }
  for (const path of models) copy(folder, path);
  return names;
}

/** Dependencies that a package needs only while it is installed. */
const UNUSED = new Set(['adm-zip', 'global-agent']);

function requireDependencies(name, names) {
  const { dependencies = {} } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
  // The bundles of onnxruntime-web contain its dependencies.
  if (name === 'onnxruntime-web') return;
  const missing = Object.keys(dependencies).filter((needed) => !names.includes(needed) && !UNUSED.has(needed));
  if (missing.length > 0) throw new Error(`${name} needs ${missing.join(', ')}, which the release lacks.`);
}

const filesOf = (name) =>
  readdirSync(join(root, 'node_modules', name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, 'node_modules', name).length + 1))
    .filter((file) => !file.startsWith('node_modules/'));

function copy(folder, path) {
  const from = join(root, 'node_modules', path);
  if (!existsSync(from)) throw new Error(`${path} is not installed. Run: npm ci`);
  const to = join(folder, 'node_modules', path);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}

/** The name of the package that contains a path; undefined for our own files. */
export const packageOf = (path) =>
  /.*node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/?]+)/.exec(path)?.[1]?.replace('\\', '/');
