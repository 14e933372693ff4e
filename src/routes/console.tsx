/** The routes behind the session: home, account, short addresses, and the screens. */
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
import { consoleRoute, lateView } from './base.tsx';
import { redirectShortAddress, settledWorkspace } from './guards.ts';

const getParentRoute = () => consoleRoute;

type Entered = { context: { root: RootActor }; abortController: AbortController };

/** Redirects to the first organization's home, if there is one. */
async function redirectHome({ context: { root }, abortController: { signal } }: Entered): Promise<void> {
  const workspace = await settledWorkspace({ root, signal });
  const to = workspace && homeOf(workspace);
  if (to) throw redirect({ ...addressOf(to), replace: true });
}

/** Redirects to the first organization's home; without one, says whom to ask (NAV-01). */
const home = createRoute({
  getParentRoute,
  path: '/',
  beforeLoad: (opened) => redirectHome(opened),
  component: lateView(async () => (await import('../views/shell/NoOrganizationPage.tsx')).NoOrganizationPage),
});

/** Where sign-in leads. Redirects people who have an organization (ONB-03). */
const welcome = createRoute({
  getParentRoute,
  path: '/welcome/',
  beforeLoad: (opened) => redirectHome(opened),
  component: lateView(async () => (await import('../views/shell/WelcomePage.tsx')).WelcomePage),
});

const person = ['/user/', '/user/settings/'].map((path) =>
  createRoute({
    getParentRoute,
    path,
    validateSearch: v.object({ poi: v.optional(v.string()) }),
    component: lateView(async () => (await import('../views/account/UserPage.tsx')).UserPage),
  }),
);

const shortAddresses = [...SHORT_ADDRESSES.keys()].map((path) =>
  createRoute({
    getParentRoute,
    path,
    beforeLoad: (opened) => redirectShortAddress(path, opened),
    component: lateView(async () => (await import('../views/shell/RedirectFailedPage.tsx')).RedirectFailedPage),
  }),
);

type OpenedRoute = { params: Record<string, string>; search: Record<string, unknown> };

/** A redirect to another address of the same place, which keeps the other parameters of the query. */
const redirectTo = ({ to, search }: Address, kept: Record<string, unknown> = {}) =>
  redirect({ to, search: { ...kept, ...search }, replace: true });

/** Redirects to the plain address if a part of the address means nothing. The layout shows unknown addresses. */
function redirectToPlain(name: ScreenName, opened: OpenedRoute): void {
  const route = placedRoute(name, opened);
  if (!route) return;
  const plain = rowOf(name).plain?.(route) ?? route;
  if (plain !== route) throw redirectTo(addressOf(plain));
}

/** The parameters of a query that belong to the screen. */
function ownQuery(name: ScreenName, search: Record<string, unknown>): Record<string, string> {
  const route = placedRoute(name, { params: {}, search });
  return route ? addressOf(route).search : {};
}

function routesOf(name: ScreenName): AnyRoute[] {
  const row = rowOf(name);
  const place = PLACES[SCREENS[name].of];
  const component = lateView(row.view);
  const query = row.isQueryOwn ? { validateSearch: (search: Record<string, unknown>) => ownQuery(name, search) } : {};
  const beforeLoad = (opened: OpenedRoute) => redirectToPlain(name, opened);
  const [first, ...others] = row.paths;
  const aliases = Object.entries(row.aliases ?? {}).map(([path, read]) =>
    createRoute({
      getParentRoute,
      path: place + path,
      beforeLoad: ({ params, search }: OpenedRoute) => {
        const details = read({ params, search });
        if (!details) return;
        throw redirectTo(
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
  // One parent route for all addresses, so that the page stays mounted between them.
  const base = first.replace(/\/$/, '');
  const page = createRoute({ getParentRoute, path: place + base, ...query, component });
  const children = row.paths.map((path) =>
    createRoute({ getParentRoute: () => page, path: path.slice(base.length), beforeLoad }),
  );
  return [page.addChildren(children), ...aliases];
}

/** All other addresses of an organization or project: the layout says that there is no such page (NAV-02). */
const notFound = NOT_FOUND_PATHS.map((path) => createRoute({ getParentRoute, path }));

export const consoleRoutes = consoleRoute.addChildren([
  home,
  welcome,
  ...person,
  ...shortAddresses,
  ...SCREEN_NAMES.flatMap(routesOf),
  ...notFound,
]);
