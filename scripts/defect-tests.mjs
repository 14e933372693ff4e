/** Which tests scripts/defects.mjs runs for a defect in a module: those that load it, and journeys that are named like it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from './setup.mjs';

const NEAR_JOURNEYS = 6;
/** Compares what `npm run reference` writes with the charts: whoever changes a chart writes it anew. */
const NO_TEST = new Set(['test/docs.test.ts']);
/** Parts of paths that say nothing about what a file is about. */
const GENERAL = new Set(
  `src machines machine server views view effects ts tsx test model paths journey chromium workspace setup actors states
  select ui shared routes queries http core api index`.split(/\s+/),
);
/** Further words of a path, where the names of journeys do not say what they are about. */
const ALSO = Object.fromEntries(
  `accounts: links user; sign: links user tabs; signin: accounts; identity: accounts links user; visitor: accounts links sign
  sso: single sign on; session: tabs accounts; newcomer: samples welcome; form: dialogs limits user organization
  playground: async live file panel transcript; microphone: devices live; stream: live; recognizer: live async
  audio: live reading devices transcript samples; translation: live async settings; speech: async; jobs: async
  transcriptions: async lists transcription; upload: async; files: upload lists async; usageHint: limits
  payments: billing transactions payment; ledger: billing transactions; money: billing; autopay: billing; costs: reports
  root: shell navigation; shell: navigation sidebar keyboard; nav: navigation shell sidebar; clipboard: shell
  behaviours: keyboard reading lists transcript; inspect: inspector; openapi: docs; project: keys; keys: api made
  key: api keys made; invitation: organization invitations; invitations: organization links; invite: links invitations
  member: organization; tenancy: organization; place: organization project settings; dashboard: organization usage`
    .split(/[;\n]/)
    .map((row) => row.trim().split(': ')),
);
/** Where no name fits. */
const FALLBACK = 'navigation shell start';

const wordsOf = (path) =>
  new Set(
    path
      .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
      .map((word) => word.toLowerCase())
      .filter((word) => word !== '' && !GENERAL.has(word)),
  );
const isSame = (a, b) => a.replace(/s$/, '') === b.replace(/s$/, '');
const sharedWords = (words, file) =>
  [...wordsOf(file)].filter((word) => [...words].some((one) => isSame(one, word))).length;

const sources = (folder, ending) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name));

/** How many imports away from a module each file is; types do not count. */
function distancesTo(module) {
  const importers = new Map();
  const note = (to, from) => importers.set(to, [...(importers.get(to) ?? []), from]);
  for (const file of ['contract', 'machines', 'src', 'server', 'scripts', 'test', 'model-tests'].flatMap((folder) =>
    sources(folder, /\.(tsx?|mjs)$/),
  )) {
    if (file.startsWith('test/lint/fixtures/')) continue;
    const text = readFileSync(join(root, file), 'utf8');
    const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
    const isLoaded = ({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType);
    const names = [
      ...staticImports.filter(isLoaded).map(({ moduleRequest }) => moduleRequest.value),
      ...staticExports.flatMap(({ entries }) =>
        entries.filter(({ isType }) => !isType).map((entry) => entry.moduleRequest?.value),
      ),
      ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
    ];
    for (const name of names.map((one) => one?.replace(/\?.*$/, '')))
      if (name?.startsWith('#')) note(name.slice(1), file);
      else if (name?.startsWith('.')) note(join(file, '..', name), file);
    // Whoever builds the server runs it.
    if (/faults\/build\.ts|build\.mjs/.test(text)) note('server/entry.ts', file);
  }
  const distances = new Map([[module, 0]]);
  for (const [file, distance] of distances)
    for (const importer of importers.get(file) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return distances;
}

/** Those of a suite's runs that load a module, the nearest first. */
export function related(runs, { file: module }) {
  const distances = distancesTo(module);
  const words = wordsOf(module);
  const rank = ({ file }) => distances.get(file) - 3 * sharedWords(words, file);
  return runs
    .map((name) => ({ project: name.split(' ')[0], file: name.split(' ')[1] }))
    .filter(({ file }) => distances.has(file) && !NO_TEST.has(file))
    .sort((a, b) => rank(a) - rank(b));
}

/** The files of journeys that are named like parts of a module's path. */
export function journeysOf({ file: module }, isWanted) {
  const own = wordsOf(module);
  const words = new Set([...own, ...[...own].flatMap((word) => (ALSO[word] ?? '').split(' ')).filter(Boolean)]);
  const all = ['test/journeys', 'model-tests/browser']
    .flatMap((folder) => sources(folder, /\.(journey|chromium)\.ts$/))
    .filter((file) => isWanted(readFileSync(join(root, file), 'utf8')));
  const ranked = (from) =>
    all
      .map((file) => ({
        file,
        rank: sharedWords(from, file.replace('test/journeys/faults/', '')) * 2 + sharedWords(own, file),
      }))
      .filter(({ rank }) => rank > 0)
      .sort((a, b) => b.rank - a.rank)
      .map(({ file }) => file);
  const found = ranked(words);
  return (found.length > 0 ? found : ranked(new Set(FALLBACK.split(' ')))).slice(0, NEAR_JOURNEYS);
}
