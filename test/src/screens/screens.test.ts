import { createMemoryHistory, createRouter } from '@tanstack/react-router';
import { describe, expect, it } from 'vitest';
import type { Route } from '#machines/shared/route.ts';
import { isScreen, SCREENS } from '#machines/shared/screens.ts';
import { placed } from '#machines/workspace/select.ts';
import { hrefOf, PLACES, PUBLIC_PATHS, routeOf, SCREEN_PATHS } from '#src/locations.ts';
import { routeTree } from '#src/routes/tree.ts';
import { destination, rowOf, SCREEN_NAMES } from '#src/screens/rows.ts';
import { SHORT_ADDRESSES } from '#src/screens/shortAddresses.ts';

const router = createRouter({
  routeTree,
  context: { root: {} as never },
  history: createMemoryHistory(),
  trailingSlash: 'always',
});

/** What the router makes of an address. */
function opened(href: string): Route {
  const url = new URL(href, 'http://parlance.test');
  const [branch, params, found] = router.getMatchedRoutes(url.pathname);
  return found
    ? routeOf({ routeId: branch.at(-1)?.id ?? '', params, search: Object.fromEntries(url.searchParams) })
    : { screen: 'notFound' };
}

/** What each screen's address can tell besides its place. */
const TOLD: Partial<Record<keyof typeof SCREENS, readonly object[]>> = {
  apiKeys: [{}, { isCreating: true }],
  usageCost: [{}, { start_date: '2026-01-01', end_date: '2026-01-31', period: 'daily' }],
  // Also where there is no such period.
  usageActivity: [{ period: 'hourly' }, { start_date: 'soon', period: 'weekly' }],
  webhooks: [{}, { state: 'waiting', webhook: 'w1' }],
  playground: [
    { mode: 'real-time' },
    { mode: 'async', panel: 'history' },
    { mode: 'async', fileId: 'f 1' },
    { mode: 'async', transcriptionId: 't/1', show: 'original', lines: true },
  ],
};

describe('the table of screens', () => {
  it('SHL-04 SHL-05: each is reached by a link of the sidebar or by a command; add `links` or `command` to its row', () => {
    const isReached = (name: (typeof SCREEN_NAMES)[number]) => {
      const { links, command } = rowOf(name);
      return links.length > 0 || command !== undefined;
    };
    expect(SCREEN_NAMES.filter((name) => !isReached(name))).toEqual([]);
  });

  it.each(SCREEN_NAMES)('an address of %s opens it again, whatever it tells', (name) => {
    for (const told of TOLD[name] ?? [{}]) {
      const route = placed(destination(name, told), 'o1', 'p1');
      expect(route && opened(hrefOf(route))).toEqual(route);
    }
  });

  it('NAV-09: an address of usage alone is that of its cost, with the period that it tells', () => {
    const { aliases = {} } = rowOf('usageCost');
    const search = { start_date: '2026-01-01', end_date: '2026-01-31', period: 'daily' };
    expect(aliases['/usage/']?.({ params: {}, search: { ...search, other: '1' } })).toEqual(search);
    expect(router.getMatchedRoutes('/org/o1/projects/p1/usage/')[0].at(-1)?.fullPath).toBe(
      '/org/$orgUuid/projects/$projectUuid/usage/',
    );
  });

  it('of an address, what its screen does not know is nothing', () => {
    const [usage] = rowOf('usageActivity').paths;
    const address = `${PLACES.project}${usage}`.replaceAll('$', '');
    expect(opened(`${address}?ref=mail`)).toEqual(opened(address));
  });

  it('no two screens share an address, and each path belongs to a route', () => {
    const paths = SCREEN_NAMES.flatMap((name) => rowOf(name).paths.map((path) => PLACES[SCREENS[name].of] + path));
    expect(new Set(paths).size).toBe(paths.length);
    expect([...SCREEN_PATHS.keys()]).toEqual(paths);
    for (const path of [...paths, ...PUBLIC_PATHS, ...SHORT_ADDRESSES.keys()])
      expect(opened(path.replace('$page', 'overview').replaceAll('$', '')).screen).not.toBe('notFound');
  });

  it('tells names of screens from others', () => {
    expect(['members', 'signIn', 'constructor'].map(isScreen)).toEqual([true, false, false]);
  });
});
