/** A further screen, added to a copy of the sources as docs/architecture.md tells. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '#server/platform/paths.ts';
import { filesOf, gzippedKilobytes, PAGES, readManifest } from '../../bench/chunks.ts';
import { CONSOLE_EDITS, CONSOLE_FILES, type Edit, SERVER_EDITS, SERVER_FILES } from './headcount.ts';

/** What sign-in may grow by: the screen's name and row, which the router knows. In kB. */
const ROW_KB = 0.1;
const EDITS = [...CONSOLE_EDITS, ...SERVER_EDITS];
const filesIn = (edits: readonly Edit[]) => new Set(edits.map(({ file }) => file));

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'parlance-recipe-'));
  for (const name of ['contract', 'machines', 'src', 'server', 'public', 'scripts'])
    cpSync(join(projectRoot, name), join(copy, name), { recursive: true });
  for (const name of [
    'package.json',
    'tsconfig.base.json',
    'vite.config.ts',
    'index.html',
    'inspector.html',
    'document.html',
  ])
    cpSync(join(projectRoot, name), join(copy, name));
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'));
  for (const [file, text] of Object.entries({ ...CONSOLE_FILES, ...SERVER_FILES })) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), text);
  }
});
afterAll(() => rmSync(copy, { recursive: true }));

/** The existing files with these edits, and all others as they are. */
function apply(edits: readonly Edit[]): void {
  for (const file of filesIn(EDITS)) {
    let text = readFileSync(join(projectRoot, file), 'utf8');
    for (const edit of edits.filter((each) => each.file === file)) {
      const lines = text.split('\n');
      const at = lines.findIndex((line) => line.trimStart().startsWith(edit.before));
      if (at < 0) throw new Error(`${file} has no line that begins with: ${edit.before}`);
      text = lines.toSpliced(at, 0, edit.text).join('\n');
    }
    writeFileSync(join(copy, file), text);
  }
}

/** Runs a tool on the copy. @returns all that it printed, and whether it was content */
async function run(tool: string, ...args: string[]): Promise<{ said: string; isContent: boolean }> {
  const child = spawn(process.execPath, [join(projectRoot, 'node_modules', tool), ...args], {
    cwd: copy,
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { said: out + err, isContent: code === 0 };
}

/** What the types say of a part of the copy; after the first time, of what has changed. */
const errorsOf = async (wing: string): Promise<string> =>
  (
    await run(
      'typescript/bin/tsc',
      '-p',
      wing,
      '--pretty',
      'false',
      '--tsBuildInfoFile',
      join(copy, `${wing}.tsbuildinfo`),
    )
  ).said;

describe('the recipe of a screen', () => {
  it('edits at most five existing files for the console, and eight with its server part', () => {
    expect(filesIn(CONSOLE_EDITS).size).toBeLessThanOrEqual(5);
    expect(filesIn(EDITS).size).toBeLessThanOrEqual(8);
  });

  it('names the files that the page about the architecture names', () => {
    const page = readFileSync(join(projectRoot, 'docs/architecture.md'), 'utf8');
    expect([...filesIn(EDITS)].filter((file) => !page.includes(`\`${file}\``))).toEqual([]);
  });

  it('is all that the types ask for', async () => {
    apply(EDITS);
    expect(await errorsOf('src')).toBe('');
    expect(await errorsOf('server')).toBe('');
    const named = `import('./contract/api/names.ts').then(({ NAMED }) => process.stdout.write(String('Headcount' in NAMED)))`;
    expect((await run('tsx/dist/cli.mjs', '--eval', named)).said).toBe('true');
  }, 300_000);

  it('does not compile without what its chart calls, without its row and without its view: each is missed', async () => {
    const omitted = ['what that chart calls', 'its row', 'its view'];
    const kept = EDITS.filter(({ step }) => !omitted.includes(step));
    expect(kept).toHaveLength(EDITS.length - omitted.length);
    apply(kept);
    // One error each; what belongs to it is indented.
    const errors = (await errorsOf('src')).split(/\n(?! )/);
    const missed = errors
      .filter((error) => error.includes("Property 'headcount' is missing"))
      .map((error) => error.slice(0, error.indexOf('(')));
    expect(missed.toSorted()).toEqual(['src/effects/provide/console.ts', 'src/routes/views.ts', 'src/screens/rows.ts']);
  }, 300_000);
});

describe('a further screen', () => {
  it(`PRF-02: adds its row to sign-in, ${ROW_KB * 1000} bytes at most, and nothing else`, async () => {
    apply([]);
    const before = await built();
    apply(EDITS);
    const after = await built();
    expect(after.files).toBe(before.files);
    expect(after.kilobytes - before.kilobytes).toBeLessThanOrEqual(ROW_KB);
    expect(after.script).toContain('/headcount/');
    expect(after.script).not.toContain('readHeadcount');
  }, 300_000);
});

/** How many files the copy's sign-in loads, their size, and what is in them. */
async function built(): Promise<{ files: number; kilobytes: number; script: string }> {
  const { said, isContent } = await run('vite/bin/vite.js', 'build');
  if (!isContent) throw new Error(said);
  const webRoot = join(copy, 'dist/web');
  const files = filesOf(readManifest(webRoot), PAGES.signIn);
  return {
    files: files.size,
    kilobytes: gzippedKilobytes(files, webRoot),
    script: [...files].map((file) => readFileSync(join(webRoot, file), 'utf8')).join('\n'),
  };
}
