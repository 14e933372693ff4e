/** What `npm run release` lays out, without packing it; what the archives take on each Node is told by `npm run bench release`. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASE_FOLDER } from '#server/platform/data-dir.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { SERVER_ENTRIES } from '../../scripts/build.mjs';
import { pack } from '../../scripts/release.mjs';
import { noticesOf } from '../../scripts/release/licences.mjs';
import { clip } from '../audio/clips.ts';
import { freshDataDir, testFolder } from '../server/template.ts';
import { SHORT_LIVED } from '../short-lived.ts';
import { smoke } from './smoke.ts';

let folder: string;
let files: string[];
beforeAll(() => {
  folder = join(mkdtempSync(join(testFolder, 'release-')), 'parlance');
  const made = spawnSync(process.execPath, ['scripts/release.mjs', '--into', folder], {
    cwd: projectRoot,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(made.stderr);
  files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(join(folder, file)).isFile(),
  );
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a program of the release with nothing in its environment. */
const run = (args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: testFolder, env: {}, encoding: 'utf8' });
  return { status, said: (stdout + stderr).trim() };
};

describe('a release', { timeout: 180_000 }, () => {
  it('REL-01, REL-05 starts from any directory with nothing but itself, transcribes, obeys the operator and ends in order', async () => {
    const { path, text } = clip('short.wav');
    const seen = await smoke(folder, [path, path.replace(/wav$/, 'mp3')], { options: SHORT_LIVED });
    expect(seen).toMatchObject({
      recognizer: 'native',
      console: [200, 200],
      texts: { 'short.wav': text, 'short.mp3': text },
      admin: '0 No job was given up.\n',
      exit: '0',
      migrate: '0 The database is up to date.\n',
    });
  });

  it('REL-02 has a program for each that the build has, and the console, the operator’s files and their README', () => {
    const programs = Object.keys(SERVER_ENTRIES).filter((name) => !name.endsWith('-worker') && name !== 'main');
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(Object.keys(scripts)).toEqual(['start', ...programs]);
    expect(files).toEqual(
      expect.arrayContaining([
        ...['server', ...programs].map((name) => `${name}.js`),
        ...Object.keys(SERVER_ENTRIES).map((name) => `dist/server/${name}.js`),
        ...readdirSync('ops').map((name) => `ops/${name}`),
        'dist/web/index.html',
        ...['operating', 'settings', 'billing', 'metrics'].map((page) => `docs/${page}.md`),
        'README.md',
      ]),
    );
  });

  it('REL-02 has all that is loaded only where a setting asks for it', () => {
    const parts = { postgres: 'openPostgres', s3: 'openS3Storage', smtp: 'smtpTransport', stripe: 'StripeDriver' };
    const more = { prometheus: 'prometheusMeters', opentelemetry: 'openTelemetry' };
    for (const [part, name] of Object.entries({ ...parts, ...more })) {
      const chunk =
        files.find((file) => new RegExp(`^dist/server/chunks/${part}-\\w+\\.js$`).test(file)) ?? `no ${part}`;
      const code = `console.log(typeof (await import(${JSON.stringify(join(folder, chunk))}))['${name}']); process.exit()`;
      expect(`${part}: ${run(['--input-type=module', '-e', code]).said}`).toBe(`${part}: function`);
    }
  });

  it('REL-03 has nothing of a compiler, of development, or of other systems', () => {
    expect(files.filter((file) => /\.(?:tsx?|d\.[cm]ts|[jt]s\.map|tar\.gz|gyp|cc?|h)$/.test(file))).toEqual([]);
    const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(Object.keys(devDependencies).filter((name) => existsSync(join(folder, 'node_modules', name)))).toEqual([]);
    const native = files.filter((file) => /\.(?:node|so[.\d]*|dylib|dll|exe|bare)$/.test(file));
    expect(native.length).toBeGreaterThan(2);
    for (const file of native)
      expect(`${file} ${readFileSync(join(folder, file)).toString('latin1', 0, 4)}`).toBe(`${file} \x7fELF`);
    expect(native.filter((file) => /darwin|win32|android|arm64|musl/.test(file))).toEqual([]);
  });

  it('REL-03 takes less than 350 MB', () => {
    const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    expect(bytes / 1e6).toBeLessThan(350);
  });

  it('REL-04 names every package in it, with its licence and the text of that', () => {
    const notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES'), 'utf8');
    for (const name of [
      'react',
      'kysely',
      'onnxruntime-node',
      '@fontsource-variable/inter',
      '@moonshine-ai/moonshine-js',
      '@ricky0123/vad-web',
    ])
      expect(notices).toMatch(new RegExp(`^${name} \\d[\\d.]+ \\([\\w. -]+\\)\\n\\n\\S`, 'm'));
    for (const text of ['GNU LESSER GENERAL PUBLIC LICENSE', 'SIL OPEN FONT LICENSE', 'Microsoft Corporation'])
      expect(notices).toContain(text);
    // They stay replaceable: as files of their own, not in the bundle.
    for (const name of ['codec-parser', 'mpg123-decoder'])
      expect(existsSync(join(folder, 'node_modules', name, 'index.js'))).toBe(true);
  });

  it('REL-08 says in a sentence what is wrong with it, and with the machine', () => {
    const copy = join(testFolder, 'release-broken');
    mkdirSync(copy);
    for (const name of ['server.js', 'package.json', 'release.json', 'dist/server'])
      cpSync(join(folder, name), join(copy, name), { recursive: true });
    const start = () => run([join(copy, 'server.js')]);
    expect(start()).toEqual({
      status: 1,
      said: `The build is not complete: ${copy}/dist/web/index.html is missing. Unpack the release again.`,
    });
    const about = JSON.parse(readFileSync(join(copy, 'release.json'), 'utf8'));
    expect(about.system).toBe(`${process.platform}-${process.arch}`);
    writeFileSync(join(copy, 'release.json'), JSON.stringify({ ...about, system: 'plan9-mips' }));
    expect(start().said).toBe(
      `This release is for plan9-mips, but this machine is ${about.system}. Install the release for ${about.system}.`,
    );
    const old = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.18.3' })`;
    expect(run(['--import', old, join(copy, 'server.js')])).toEqual({
      status: 1,
      said: 'This needs Node 20.19 or newer; this is 20.18.3.',
    });
    rmSync(copy, { recursive: true });
  });
});

/** What content.ts tells of a database. */
const Content = v.looseObject({ columns: v.array(v.unknown()), rows: v.record(v.string(), v.array(v.unknown())) });

describe('REL-06 the empty database of a release', { timeout: 180_000 }, () => {
  it('is what the migrations make, and knows no account, no secret and no installation', async () => {
    const copy = mkdtempSync(join(testFolder, 'empty-'));
    const made = await freshDataDir();
    cpSync(join(folder, 'empty-database'), join(copy, DATABASE_FOLDER), { recursive: true });
    // In a process of its own, for Node's options.
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [...SHORT_LIVED, '--import', 'tsx', 'test/release/content.ts', copy, made],
      { encoding: 'utf8', maxBuffer: 2 ** 26 },
    );
    expect(stderr).toBe('');
    const [shipped, migrated] = v.parse(v.array(Content), JSON.parse(stdout));
    expect(shipped).toEqual(migrated);
    expect(shipped?.columns.length).toBeGreaterThan(300);
    const filled = Object.entries(shipped?.rows ?? {})
      .filter(([, rows]) => rows.length > 0)
      .map(([name]) => name);
    expect(filled).toEqual(['kysely_migration', 'kysely_migration_lock']);
    for (const dataDir of [copy, made]) rmSync(dataDir, { recursive: true });
  });
});

it('REL-07 the same files make the same archive, whatever their times, modes and order', async () => {
  const pair = ['first', 'second'].map((name) => join(mkdtempSync(join(testFolder, `pack-${name}-`)), 'parlance'));
  const names = ['b.js', 'a.js', 'c/d.js'];
  for (const [n, path] of pair.entries()) {
    mkdirSync(join(path, 'c/empty'), { recursive: true });
    for (const name of n === 0 ? names : names.toReversed()) writeFileSync(join(path, name), name);
    utimesSync(join(path, 'a.js'), n, n);
    chmodSync(join(path, 'b.js'), n === 0 ? 0o600 : 0o664);
  }
  const [first, second] = await Promise.all(pair.map((path) => pack(path, `${path}.tar.gz`)));
  expect(first).toBe(second);
  writeFileSync(join(pair[1] ?? '', 'a.js'), 'another');
  expect(await pack(pair[1] ?? '', `${pair[1]}.tar.gz`)).not.toBe(first);
  const listed = spawnSync('tar', ['-tvzf', `${pair[0]}.tar.gz`], { encoding: 'utf8' }).stdout;
  expect(listed).toMatch(/^drwxr-xr-x 0\/0 .* parlance\/c\/empty\/$/m);
  expect(listed).toMatch(/^-rw-r--r-- 0\/0 .* parlance\/b\.js$/m);
});

describe('REL-04 no release is made', () => {
  const packageWith = (about: object, texts: Record<string, string> = {}): string => {
    const path = mkdtempSync(join(testFolder, 'package-'));
    for (const [name, text] of Object.entries({
      'package.json': JSON.stringify({ version: '1.0.0', ...about }),
      ...texts,
    }))
      writeFileSync(join(path, name), text);
    return path;
  };
  const notices = (about: object, texts?: Record<string, string>, isReplaceable = false): string =>
    noticesOf([{ name: 'made-up', isReplaceable, folder: packageWith(about, texts) }]);
  const TEXT = { LICENSE: 'The text.' };

  it.each([
    ['without the text of a licence', { license: 'MIT' }, {}, 'made-up: no text of its licence (MIT)'],
    ['without a licence', {}, TEXT, 'made-up: no licence cannot be passed on'],
    [
      'under a licence that cannot be kept',
      { license: 'GPL-3.0-only' },
      TEXT,
      'made-up: GPL-3.0-only cannot be passed on',
    ],
    ['of which a part is under one', { license: 'MIT AND SSPL-1.0' }, TEXT, 'MIT AND SSPL-1.0 cannot be passed on'],
    ['in the bundle that must be replaceable', { license: 'LGPL-3.0-or-later' }, TEXT, 'LGPL-3.0-or-later cannot'],
  ])('with a package %s', (_what, about, texts, message) => {
    expect(() => notices(about, texts)).toThrow(message);
  });

  it('but with a choice of licences, an old way to name one, and a replaceable package', () => {
    expect(notices({ license: '(MIT OR GPL-2.0)' }, TEXT)).toContain('made-up 1.0.0 ((MIT OR GPL-2.0))\n\nThe text.\n');
    expect(notices({ licenses: [{ type: 'MIT' }] }, { 'License.md': 'Old text.' })).toContain('made-up 1.0.0 (MIT)');
    expect(notices({ license: 'LGPL-3.0-or-later' }, TEXT, true)).toContain('The text.');
  });
});
