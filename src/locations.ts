/**
 * Screens and their addresses, both ways. Charts and views speak of {@link Route}s; only the router's files know paths.
 */
import type { PlacedRoute, Route } from '#machines/shared/route.ts';
import { isScreen, type ScreenName, SCREENS } from '#machines/shared/screens.ts';
import { placed } from '#machines/workspace/select.ts';
import { optional } from './screens/row.ts';
import { destination, rowOf, SCREEN_NAMES } from './screens/rows.ts';
import { destinationOf } from './screens/shortAddresses.ts';

/** Paths of the screens that need no session. */
export const PUBLIC_PATHS = [
  '/signin/',
  '/signup/',
  '/signup/resend-activation-email/',
  '/signup/$token/',
  '/password/recover/',
  '/password/$token/',
  '/sso/callback/',
  '/invite/$token/',
] as const;

/** Id of the route around all that needs a session, and paths of organizations and projects. */
export const CONSOLE = '/_console';
export const PLACES = { organization: '/org/$orgUuid', project: '/org/$orgUuid/projects/$projectUuid' } as const;

/** Paths in an organization or project that no screen has. */
export const NOT_FOUND_PATHS = [`${PLACES.organization}/$`, `${PLACES.project}/$`] as const;

/** A path with its query, as the router and links take it. */
export type Address = { to: string; search: Record<string, string> };

const address = (to: string, search: Record<string, string | undefined> = {}): Address => ({
  to,
  search: Object.fromEntries(
    Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ),
});

const segment = encodeURIComponent;

/** The address of a screen. */
export function addressOf(route: Route): Address {
  if (isPlaced(route)) {
    const row = rowOf(route.screen);
    const { path = row.paths[0], search } = row.write?.(route) ?? {};
    return address(placePath(route) + path, search);
  }
  switch (route.screen) {
    case 'signIn':
      return address('/signin/', { from: route.from });
    case 'signUp':
      return address('/signup/', { from: route.from });
    case 'resendActivation':
      return address('/signup/resend-activation-email/');
    case 'activation':
      return address(`/signup/${segment(route.token)}/`);
    case 'passwordRecovery':
      return address('/password/recover/');
    case 'passwordReset':
      return address(`/password/${segment(route.token)}/`);
    case 'ssoCallback':
      return address('/sso/callback/', parseSearch(route.query));
    case 'invite':
      return address(`/invite/${segment(route.token)}/`);
    case 'home':
    case 'redirect':
    case 'notFound':
      return address('/');
    case 'welcome':
      return address('/welcome/');
    case 'user':
      return address('/user/', { poi: route.poi });
  }
}

const isPlaced = (route: Route): route is PlacedRoute => isScreen(route.screen);

const placePath = (route: PlacedRoute) =>
  `/org/${segment(route.orgUuid)}${'projectUuid' in route ? `/projects/${segment(route.projectUuid)}` : ''}`;

/** The screen of each router path. */
export const SCREEN_PATHS: ReadonlyMap<string, ScreenName> = new Map(
  SCREEN_NAMES.flatMap((name) => rowOf(name).paths.map((path) => [PLACES[SCREENS[name].of] + path, name])),
);

/** The address as one string, for plain links. */
export function hrefOf(route: Route): string {
  const { to, search } = addressOf(route);
  return to + stringifySearch(search);
}

/** Plain-text query strings: `?project_ids=1,2` stays text, where the router's own codec would parse JSON. */
export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(search))
    if (typeof value === 'string' && value !== '') query.set(key, value);
  const text = query.toString().replaceAll('%2C', ',');
  return text ? `?${text}` : '';
}

type Match = { routeId: string; params: Record<string, string | undefined>; search: Record<string, unknown> };

/** The screen of a router match. */
export function routeOf({ routeId, params, search }: Match): Route {
  const text = (key: string) => (typeof search[key] === 'string' ? search[key] : undefined);
  switch (routeId) {
    case '/signin/':
      return { screen: 'signIn', ...optional('from', text('from')) };
    case '/signup/':
      return { screen: 'signUp', ...optional('from', text('from')) };
    case '/signup/resend-activation-email/':
      return { screen: 'resendActivation' };
    case '/signup/$token/':
      return { screen: 'activation', token: params['token'] ?? '' };
    case '/password/recover/':
      return { screen: 'passwordRecovery' };
    case '/password/$token/':
      return { screen: 'passwordReset', token: params['token'] ?? '' };
    case '/sso/callback/':
      return { screen: 'ssoCallback', query: stringifySearch(search) };
    case '/invite/$token/':
      return { screen: 'invite', token: params['token'] ?? '' };
    case `${CONSOLE}/`:
      return { screen: 'home' };
    case `${CONSOLE}/welcome/`:
      return { screen: 'welcome' };
    case `${CONSOLE}/user/`:
    case `${CONSOLE}/user/settings/`:
      return { screen: 'user', ...optional('poi', text('poi')) };
    default: {
      const path = routeId.startsWith(CONSOLE) ? routeId.slice(CONSOLE.length) : '';
      const name = SCREEN_PATHS.get(path);
      const into = name ? undefined : destinationOf(path, params, search);
      if (into) return { screen: 'redirect', into };
      return (name && placedRoute(name, { params, search })) ?? { screen: 'notFound', ...placeIn(params) };
    }
  }
}

/** A screen with the details in its address; null if the address names nothing. */
export function placedRoute(name: ScreenName, match: Pick<Match, 'params' | 'search'>): PlacedRoute | null {
  const row = rowOf(name);
  const details = row.read ? row.read(match) : {};
  return (
    details && placed(destination(name, details), match.params['orgUuid'] ?? '', match.params['projectUuid'] ?? '')
  );
}

/** The organization and the project that an address begins with. */
const placeIn = ({ orgUuid, projectUuid }: Match['params']) =>
  orgUuid === undefined ? {} : { orgUuid, ...optional('projectUuid', projectUuid) };
