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

/** The parts of machines/, top to bottom: each imports those after it, never one before it. */
const PARTS = ['root', 'workspace', 'visitor', 'playground', 'session', 'shared'];

it('charts import only downward from part to part', () => {
  const files = sourcesIn('machines');
  expect(files.filter((file) => !PARTS.includes(areaOf(file)))).toEqual([]);
  const wrong = files.flatMap((from) =>
    importsOf(from)
      .filter((to) => to.startsWith('machines/') && PARTS.indexOf(areaOf(from)) > PARTS.indexOf(areaOf(to)))
      .map((to) => `${from} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

it('views import the parts of their own area and of ui, and ui imports no area', () => {
  const viewAreaOf = (path: string) => /^src\/views\/([^/]+)\//.exec(path)?.[1];
  const wrong = sourcesIn('src/views').flatMap((from) =>
    importsOf(from)
      .filter((to) => ![undefined, 'ui', viewAreaOf(from)].includes(viewAreaOf(to)))
      .map((to) => `${from} imports ${to}`),
  );
  expect(wrong).toEqual([]);
});

it.each([
  ['tags, not for the names of their states', /\.matches\(/],
  ['what the role allows', /\b(?:may|canOpen)\(/],
])('views ask charts for %s', (_, asked) => {
  expect(sourcesIn('src/views').filter((file) => asked.test(readFileSync(file, 'utf8')))).toEqual([]);
});
