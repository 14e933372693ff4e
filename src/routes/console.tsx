/** The routes behind the session: home, the person, the short addresses, and one for each row of the screens. */
import { type AnyRoute, createRoute, redirect } from '@tanstack/react-router';
import * as v from 'valibot';
import type { RootActor } from '#machines/root/machine.ts';
import { homeOf } from '#machines/root/select.ts';
import type { PlacedRoute } from '#machines/shared/route.ts';
import { type ScreenName, SCREENS } from '#machines/shared/screens.ts';
import { placed } from '#machines/workspace/select.ts';
import { type Address, addressOf, NOT_FOUND_PATHS, placedRoute, PLACES } from '../locations.ts';
import { destination, rowOf, SCREEN_NAMES } from '../screens/rows.ts';
import { SHORT_ADDRESSES } from '../screens/shortAddresses.ts';
import { consoleRoute, fetched } from './base.tsx';
import { leadOn, settledWorkspace } from './guards.ts';
import { VIEWS } from './views.ts';

const getParentRoute = () => consoleRoute;

type Entered = { context: { root: RootActor }; abortController: AbortController };

/** On to the first organization's home, where there is one. */
async function leadHome({ context: { root }, abortController: { signal } }: Entered): Promise<void> {
  const workspace = await settledWorkspace({ root, signal });
  const to = workspace && homeOf(workspace);
  if (to) throw redirect({ ...addressOf(to), replace: true });
}

/** The first organization's home; without one, the page says whom to ask (NAV-01). */
const home = createRoute({
  getParentRoute,
  path: '/',
  beforeLoad: (opened) => leadHome(opened),
  component: fetched(async () => (await import('../views/shell/NoOrganizationPage.tsx')).NoOrganizationPage),
});

/** Where signing in leads who has no organization; whoever has one goes on to it (ONB-03). */
const welcome = createRoute({
  getParentRoute,
  path: '/welcome/',
  beforeLoad: (opened) => leadHome(opened),
  component: fetched(async () => (await import('../views/shell/WelcomePage.tsx')).WelcomePage),
});

const person = ['/user/', '/user/settings/'].map((path) =>
  createRoute({
    getParentRoute,
    path,
    validateSearch: v.object({ poi: v.optional(v.string()) }),
    component: fetched(async () => (await import('../views/account/UserPage.tsx')).UserPage),
  }),
);

const shortAddresses = [...SHORT_ADDRESSES.keys()].map((path) =>
  createRoute({
    getParentRoute,
    path,
    beforeLoad: (opened) => leadOn(path, opened),
    component: fetched(async () => (await import('../views/shell/RedirectFailedPage.tsx')).RedirectFailedPage),
  }),
);

type Opened = { params: Record<string, string>; search: Record<string, unknown> };

/** On to another address of the same place; what else stands in the query stays. */
const leadTo = ({ to, search }: Address, kept: Record<string, unknown> = {}) =>
  redirect({ to, search: { ...kept, ...search }, replace: true });

/** Leads on where the address says what means nothing. Where there is no such thing, the frame says so. */
function checked(name: ScreenName, opened: Opened): void {
  const route = placedRoute(name, opened);
  if (!route) return;
  const plain = rowOf(name).plain?.(route) ?? route;
  if (plain !== route) throw leadTo(addressOf(plain));
}

/** What of a query a screen takes as its own. */
function ownQuery(name: ScreenName, search: Record<string, unknown>): Record<string, string> {
  const route = placedRoute(name, { params: {}, search });
  return route ? addressOf(route).search : {};
}

function routesOf(name: ScreenName): AnyRoute[] {
  const row = rowOf(name);
  const place = PLACES[SCREENS[name].of];
  const component = fetched(VIEWS[name]);
  const query = row.isQueryOwn ? { validateSearch: (search: Record<string, unknown>) => ownQuery(name, search) } : {};
  const beforeLoad = (opened: Opened) => checked(name, opened);
  const [first, ...others] = row.paths;
  const aliases = Object.entries(row.aliases ?? {}).map(([path, read]) =>
    createRoute({
      getParentRoute,
      path: place + path,
      beforeLoad: ({ params, search }: Opened) => {
        const details = read({ params, search });
        if (!details) return;
        throw leadTo(
          addressOf(
            placed(destination(name, details), params['orgUuid'] ?? '', params['projectUuid'] ?? '') as PlacedRoute,
          ),
          search,
        );
      },
    }),
  );
  if (others.length === 0)
    return [createRoute({ getParentRoute, path: place + first, ...query, beforeLoad, component }), ...aliases];
  // One page for all of its addresses, so that moving between them keeps what is on it.
  const base = first.replace(/\/$/, '');
  const page = createRoute({ getParentRoute, path: place + base, ...query, component });
  const children = row.paths.map((path) =>
    createRoute({ getParentRoute: () => page, path: path.slice(base.length), beforeLoad }),
  );
  return [page.addChildren(children), ...aliases];
}

/** All else below an organization or a project: no screen has it, which the frame says (NAV-02). */
const notFound = NOT_FOUND_PATHS.map((path) => createRoute({ getParentRoute, path }));

export const consoleRoutes = consoleRoute.addChildren([
  home,
  welcome,
  ...person,
  ...shortAddresses,
  ...SCREEN_NAMES.flatMap(routesOf),
  ...notFound,
]);
