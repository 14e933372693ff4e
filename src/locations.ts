/**
 * Screens and their addresses, both ways. Charts and views speak of {@link Route}s; only the router's files know paths.
 */
import type { PlaygroundMode, PlaygroundView, Route } from '#machines/route.ts';

/** A path with its query, as the router and links take it. */
export type Address = { to: string; search: Record<string, string> };

const address = (to: string, search: Record<string, string | undefined> = {}): Address => ({
  to,
  search: Object.fromEntries(Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined)),
});

const segment = encodeURIComponent;

/** The address of a screen. */
export function addressOf(route: Route): Address {
  switch (route.screen) {
    case 'signIn':
      return address('/signin/', { from: route.from });
    case 'signUp':
      return address('/signup/');
    case 'resendActivation':
      return address('/signup/resend-activation-email/');
    case 'activation':
      return address(`/signup/${segment(route.token)}/`);
    case 'home':
    case 'notFound':
      return address('/');
    case 'user':
      return address('/user/', { poi: route.poi });
    case 'organization':
      return address(`/org/${segment(route.orgUuid)}/`);
    case 'project':
      return address(`${projectPath(route)}/`);
    case 'apiKeys':
      return address(`${projectPath(route)}/api/keys/`);
    case 'playground': {
      const base = `${projectPath(route)}/playground/speech-to-text`;
      const search = { mode: route.mode, panel: route.panel, show: route.show, lines: route.lines === undefined ? undefined : route.lines ? 'on' : 'off' };
      if (route.transcriptionId) return address(`${base}/${segment(route.transcriptionId)}/`, search);
      if (route.fileId) return address(`${base}/new/${segment(route.fileId)}/`, search);
      return address(`${base}/`, search);
    }
  }
}

const projectPath = ({ orgUuid, projectUuid }: { orgUuid: string; projectUuid: string }) => `/org/${segment(orgUuid)}/projects/${segment(projectUuid)}`;

/** The address as one string, for plain links. */
export function hrefOf(route: Route): string {
  const { to, search } = addressOf(route);
  return to + stringifySearch(search);
}

/** Plain-text query strings: `?project_ids=1,2` stays text, where the router's own codec would parse JSON. */
export const parseSearch = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search));

export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) if (typeof value === 'string' && value !== '') query.set(key, value);
  const text = query.toString().replaceAll('%2C', ',');
  return text ? `?${text}` : '';
}

type Match = { routeId: string; params: Record<string, string | undefined>; search: Record<string, unknown> };

/** The screen that the router's last match stands for. */
export function routeOf({ routeId, params, search }: Match): Route {
  const orgUuid = params['orgUuid'] ?? '';
  const projectUuid = params['projectUuid'] ?? '';
  const text = (key: string) => (typeof search[key] === 'string' ? search[key] : undefined);
  const playground = () => ({ screen: 'playground' as const, orgUuid, projectUuid, ...playgroundView(search) });
  switch (routeId) {
    case '/signin/':
      return { screen: 'signIn', ...optional('from', text('from')) };
    case '/signup/':
      return { screen: 'signUp' };
    case '/signup/resend-activation-email/':
      return { screen: 'resendActivation' };
    case '/signup/$token/':
      return { screen: 'activation', token: params['token'] ?? '' };
    case '/_console/':
      return { screen: 'home' };
    case '/_console/user/':
    case '/_console/user/settings/':
      return { screen: 'user', ...optional('poi', text('poi')) };
    case '/_console/org/$orgUuid/':
      return { screen: 'organization', orgUuid };
    case '/_console/org/$orgUuid/projects/$projectUuid/':
      return { screen: 'project', orgUuid, projectUuid };
    case '/_console/org/$orgUuid/projects/$projectUuid/api/keys/':
      return { screen: 'apiKeys', orgUuid, projectUuid };
    case '/_console/org/$orgUuid/projects/$projectUuid/playground/speech-to-text/':
      return playground();
    case '/_console/org/$orgUuid/projects/$projectUuid/playground/speech-to-text/$transcriptionUuid/':
      return { ...playground(), ...optional('transcriptionId', params['transcriptionUuid']) };
    case '/_console/org/$orgUuid/projects/$projectUuid/playground/speech-to-text/new/$fileUuid/':
      return { ...playground(), ...optional('fileId', params['fileUuid']) };
    default:
      return { screen: 'notFound' };
  }
}

/** Any other mode means real-time (ASY-01); any other value of the rest means nothing. */
function playgroundView({ mode, panel, show, lines }: Match['search']): PlaygroundView & { mode: PlaygroundMode } {
  return {
    mode: mode === 'async' ? 'async' : 'real-time',
    ...(panel === 'settings' || panel === 'history' ? { panel } : {}),
    ...(show === 'everything' || show === 'original' || show === 'translation' ? { show } : {}),
    ...(lines === 'on' || lines === 'off' ? { lines: lines === 'on' } : {}),
  };
}

function optional<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: string });
}
