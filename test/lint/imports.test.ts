import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { importsOf, sourcesIn } from './imports.ts';

/** The areas of server/, top to bottom (docs/architecture.md): each imports those after it, never one before it. */
const AREAS = ['entry', 'main', 'app', 'speech-api', 'money', 'tenancy', 'identity', 'http', 'platform'];
/** Beside them. `main` alone picks and makes an engine; these know no more of it than its port. */
const PORT_USERS = ['app', 'speech-api', 'money'];
const PORT = 'server/engine/port.ts';

const areaOf = (path: string): string => path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
/** `server/engine/decode/wav.ts` → `decode`; undefined for what the engine's parts share. */
const partOf = (path: string): string | undefined => /^server\/engine\/([^/]+)\//.exec(path)?.[1];

function isAllowed(from: string, to: string): boolean {
  const [user, used] = [areaOf(from), areaOf(to)];
  // The engine's parts know nothing of each other.
  if (user === 'engine' && used === 'engine') return [undefined, partOf(from)].includes(partOf(to));
  if (user === 'engine') return used === 'platform';
  if (used === 'engine') return user === 'main' || (to === PORT && PORT_USERS.includes(user));
  return user === used || AREAS.indexOf(user) < AREAS.indexOf(used);
}

it('the server imports only downward from area to area, and reaches the engine by its port', () => {
  const files = sourcesIn('server');
  expect(files.filter((file) => ![...AREAS, 'engine'].includes(areaOf(file)))).toEqual([]);
  const wrong = files.flatMap((from) =>
    importsOf(from)
      .filter((to) => files.includes(to) && !isAllowed(from, to))
      .map((to) => `${from} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

/** Which folders of src/views import another's parts; what serves many belongs into `ui`. */
const NEIGHBOURS = {
  account: ['shell'],
  billing: ['usage'],
  limits: ['billing'],
  logs: ['billing', 'playground', 'usage'],
  metrics: ['usage'],
  organization: ['billing', 'usage'],
  playground: ['billing', 'limits', 'shell'],
  project: ['organization'],
  shell: ['organization'],
  webhooks: ['logs', 'usage'],
};

it('views import the parts of their own folder, of ui, and of the neighbours above', () => {
  const found = new Map<string, Set<string>>();
  const folderOf = (path: string) => /^src\/views\/([^/]+)\//.exec(path)?.[1];
  for (const from of sourcesIn('src/views')) {
    const [user = '', ...used] = [from, ...importsOf(from)].flatMap((path) => folderOf(path) ?? []);
    for (const folder of used.filter((name) => name !== user && name !== 'ui'))
      found.set(user, (found.get(user) ?? new Set()).add(folder));
  }
  const sorted = [...found].map(([user, used]) => [user, [...used].toSorted()]);
  expect(Object.fromEntries(sorted)).toEqual(NEIGHBOURS);
});

it('views ask charts for tags, not for the names of their states', () => {
  expect(sourcesIn('src/views').filter((file) => readFileSync(file, 'utf8').includes('.matches('))).toEqual([]);
});
