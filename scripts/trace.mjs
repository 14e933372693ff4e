/**
 * `npm run trace`: which requirement ids of docs/requirements.md no test title names, and which titles name ids that
 * do not exist (that fails). Titles are the string arguments of `it`, `test` and `describe`.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(fileURLToPath(new URL('.', import.meta.url)), '..');
/** Each requirement is a line of its own. */
const known = new Set(
  [...readFileSync(join(root, 'docs/requirements.md'), 'utf8').matchAll(/^- ([A-Z]{3}-\d{2})\b/gm)].map(([, id]) => id),
);
/** What looks like an area and is none. */
const OTHERS = new Set(['UTF']);
/** A call of it, test or describe (with modifiers such as .each) up to the end of its first string. */
const TITLE =
  /\b(?:it|test|describe)(?:\.\w+)*(?:\([^)]*\)|`[^`]*`)?\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

/** The ids named in the titles of one source text. */
export function idsInTitles(source) {
  const ids = [];
  for (const match of source.matchAll(TITLE)) ids.push(...expandRanges(match[1] ?? match[2] ?? match[3] ?? ''));
  return ids;
}

/** `SES-01…03` and `SES-01, 02` stand for several ids. */
function expandRanges(title) {
  const ids = [];
  for (const [, area, list] of title.matchAll(/\b([A-Z]{3})-(\d{2}(?:(?:…|, |\/)\d{2})*)\b/g)) {
    let last = 0;
    for (const [, separator, digits] of list.matchAll(/(…|, |\/)?(\d{2})/g)) {
      const n = Number(digits);
      for (let i = separator === '…' ? last + 1 : n; i <= n; i++) ids.push(`${area}-${String(i).padStart(2, '0')}`);
      last = n;
    }
  }
  return ids.filter((id) => !OTHERS.has(id.slice(0, 3)));
}

function testFiles(directory) {
  return readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((f) => f.isFile() && /\.(test|journey|chromium)\.tsx?$/.test(f.name))
    .map((f) => join(f.parentPath, f.name));
}

function main() {
  const named = new Map();
  for (const file of [...testFiles('test'), ...testFiles('model-tests')]) {
    for (const id of idsInTitles(readFileSync(file, 'utf8'))) named.set(id, file);
  }
  const unknown = [...named].filter(([id]) => !known.has(id));
  const missing = [...known].filter((id) => !named.has(id));
  console.log(`${known.size - missing.length} of ${known.size} requirements are named by a test.`);
  if (missing.length) console.log(`No test names: ${missing.join(' ')}`);
  for (const [id, file] of unknown) console.error(`Unknown requirement ${id} in ${file}`);
  process.exitCode = unknown.length ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
