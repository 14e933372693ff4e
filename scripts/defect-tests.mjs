/** Chooses the tests that scripts/defects.mjs runs for a module: those that load it, and journeys named like it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from './setup.mjs';

const NEAR_JOURNEYS = 6;
/** Left out: it fails after any change of a chart, until `npm run reference` runs. */
const NO_TEST = new Set(['test/docs.test.ts']);
/** Words of paths that say nothing about a file's subject. */
const GENERAL = new Set(
  `src machines machine server views view effects ts tsx test model paths journey chromium workspace setup actors states
  select ui shared routes queries http core api index`.split(/\s+/),
);
/** Further words for a word of a path, because names of journeys do not always say their subject. */
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
/** Words for modules that no journey's name fits. */
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

/** The distance of each file from a module, in imports; imports of types do not count. */
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
    // Files that build the server run it.
    if (/faults\/build\.ts|build\.mjs/.test(text)) note('server/entry.ts', file);
  }
  const distances = new Map([[module, 0]]);
  for (const [file, distance] of distances)
    for (const importer of importers.get(file) ?? [])
      if (!distances.has(importer)) distances.set(importer, distance + 1);
  return distances;
}

/** The runs of a suite that load a module, nearest first. */
export function related(runs, { file: module }) {
  const distances = distancesTo(module);
  const words = wordsOf(module);
  const rank = ({ file }) => distances.get(file) - 3 * sharedWords(words, file);
  return runs
    .map((name) => ({ project: name.split(' ')[0], file: name.split(' ')[1] }))
    .filter(({ file }) => distances.has(file) && !NO_TEST.has(file))
    .sort((a, b) => rank(a) - rank(b));
}

/** Journeys whose names share words with a module's path. */
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
