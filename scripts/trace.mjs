/**
 * `npm run trace [id]`: fails if no test names a requirement of docs/requirements.md, or if a title names an unknown
 * one or more than three (a title should name what the test checks, not all that it passes). With an id, lists the
 * tests that name it. Titles are the string arguments of `it`, `test`, `test.step` and `describe`.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(fileURLToPath(new URL('.', import.meta.url)), '..');
/** Ids of requirements; each begins a line. */
const known = new Set(
  [...readFileSync(join(root, 'docs/requirements.md'), 'utf8').matchAll(/^- ([A-Z]{3}-\d{2})\b/gm)].map(([, id]) => id),
);
/** Prefixes that look like an area of requirements. */
const OTHERS = new Set(['UTF']);
/** Matches a call of it, test or describe (with modifiers such as .each, or after its table) with its first string. */
const TITLE =
  /(?:\b(?:it|test|describe)(?:\.\w+)*(?:\([^)]*\)|`[^`]*`)?|[\])]\))\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

const MOST_IDS = 3;

/** The titles in a source text that name requirements, with their ids. */
export function titlesOf(source) {
  return [...source.matchAll(TITLE)].flatMap((match) => {
    const title = match[1] ?? match[2] ?? match[3] ?? '';
    const ids = expandRanges(title);
    return ids.length > 0 ? [{ title, ids }] : [];
  });
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
  const titles = [...testFiles('test'), ...testFiles('model-tests')].flatMap((file) =>
    titlesOf(readFileSync(file, 'utf8')).map((one) => ({ ...one, file: relative(root, file) })),
  );
  const [wanted] = process.argv.slice(2);
  if (wanted !== undefined && !known.has(wanted)) {
    console.error(`There is no requirement ${wanted} in docs/requirements.md.`);
    process.exitCode = 1;
    return;
  }
  for (const { title, ids, file } of titles) if (ids.includes(wanted)) console.log(`${file}: ${title}`);
  const named = new Set(titles.flatMap(({ ids }) => ids));
  const missing = [...known].filter((id) => !named.has(id));
  const unknown = titles.flatMap(({ ids, file }) => ids.filter((id) => !known.has(id)).map((id) => `${id} in ${file}`));
  const crowded = titles.filter(({ ids }) => ids.length > MOST_IDS);
  console.log(`${known.size - missing.length} of ${known.size} requirements are named by a test.`);
  if (missing.length > 0) console.error(`No test names: ${missing.join(' ')}`);
  for (const one of unknown) console.error(`Unknown requirement ${one}`);
  for (const { title, file } of crowded) console.error(`More than ${MOST_IDS} requirements in ${file}: ${title}`);
  process.exitCode = missing.length + unknown.length + crowded.length > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
