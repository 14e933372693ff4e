import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { MAIN_API } from '#contract/api/main.ts';
import { SPEECH_API } from '#contract/api/speech.ts';
import { PUBLIC_PATHS, routeOf } from '#src/locations.ts';
import { SCREEN_NAMES } from '#src/screens/rows.ts';

/** The table of calls in docs/requirements.md: a call, and who makes it. */
const rows = [...readFileSync('docs/requirements.md', 'utf8').matchAll(/^\| `([A-Z]+) (\/\S+)` \| (.+) \|$/gm)].map(
  ([, method = '', path = '', makers = '']) => ({ method, path, makers }),
);

it('API-01: the server describes, and so answers, every required call', () => {
  expect(rows).toHaveLength(78);
  const described = new Set([...MAIN_API, ...SPEECH_API].map(({ method, path }) => `${method.toUpperCase()} ${path}`));
  expect(rows.filter(({ method, path }) => !described.has(`${method} ${path}`))).toEqual([]);
});

it('API-01: every required call has a screen that there is, or who makes it in place of one', () => {
  expect(rows.filter(({ makers }) => !/`|on every screen|^no screen: /.test(makers))).toEqual([]);
  const publicScreens = PUBLIC_PATHS.map((path) => routeOf({ routeId: path, params: {}, search: {} }).screen);
  const screens = new Set<string>([...SCREEN_NAMES, ...publicScreens, 'user']);
  const named = rows.flatMap(({ makers }) => [...makers.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  expect(named.filter((name) => !screens.has(name))).toEqual([]);
});
