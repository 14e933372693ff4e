/**
 * Screens and their addresses, both ways. Charts and views speak of {@link Route}s; only the router's files know paths.
 */
import { BILLING_PAGES, type PlaygroundMode, type PlaygroundView, type Route, type UsageView } from '#machines/shared/route.ts';
import { destinationOf } from './shortAddresses.ts';

/** A path with its query, as the router and links take it. */
export type Address = { to: string; search: Record<string, string> };

const address = (to: string, search: Record<string, string | undefined> = {}): Address => ({
  to,
  search: Object.fromEntries(Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined)),
});

const segment = encodeURIComponent;

/** The address of a screen. */
export function addressOf(route: Route): Address {
  if (isPlainOfProject(route)) return address(projectPath(route) + PROJECT_PATHS[route.screen], searchOf(route));
  if (isPlainOfOrganization(route)) return address(organizationPath(route) + ORGANIZATION_PATHS[route.screen]);
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
    case 'user':
      return address('/user/', { poi: route.poi });
    case 'billing':
      return address(`${organizationPath(route)}/billing/${route.page}/`);
    case 'playground': {
      const base = `${projectPath(route)}/playground/speech-to-text`;
      const search = { mode: route.mode, panel: route.panel, show: route.show, lines: route.lines === undefined ? undefined : route.lines ? 'on' : 'off' };
      if (route.transcriptionId) return address(`${base}/${segment(route.transcriptionId)}/`, search);
      if (route.fileId) return address(`${base}/new/${segment(route.fileId)}/`, search);
      return address(`${base}/`, search);
    }
  }
}

/** Of the screens of an organization that have no parameters besides; below `/org/{orgUuid}`. */
const ORGANIZATION_PATHS = {
  organization: '/',
  members: '/members/',
  invitation: '/members/invite/',
  organizationLimits: '/limits/',
  organizationSettings: '/settings/',
  auditLog: '/audit/',
} as const;

/** The same of a project, below its own path. */
const PROJECT_PATHS = {
  project: '/',
  apiKeys: '/api/keys/',
  usageCost: '/usage/cost/',
  usageActivity: '/usage/activity/',
  logs: '/api/logs/',
  metrics: '/metrics/',
  projectLimits: '/limits/',
  projectSettings: '/settings/',
} as const;

function searchOf(route: Extract<Route, { screen: keyof typeof PROJECT_PATHS }>): Record<string, string | undefined> {
  if (route.screen === 'apiKeys') return { new: route.asks ? 'key' : undefined };
  return route.screen === 'usageCost' || route.screen === 'usageActivity' ? { start_date: route.start_date, end_date: route.end_date, period: route.period } : {};
}

const isPlainOfOrganization = (route: Route): route is Extract<Route, { screen: keyof typeof ORGANIZATION_PATHS }> => route.screen in ORGANIZATION_PATHS;
const isPlainOfProject = (route: Route): route is Extract<Route, { screen: keyof typeof PROJECT_PATHS }> => route.screen in PROJECT_PATHS;

const organizationPath = ({ orgUuid }: { orgUuid: string }) => `/org/${segment(orgUuid)}`;
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
    case '/_console/':
      return { screen: 'home' };
    case '/_console/user/':
    case '/_console/user/settings/':
      return { screen: 'user', ...optional('poi', text('poi')) };
    case '/_console/org/$orgUuid/projects/$projectUuid/api/keys/':
      return { screen: 'apiKeys', orgUuid, projectUuid, ...(search['new'] === 'key' ? { asks: true } : {}) };
    case '/_console/org/$orgUuid/projects/$projectUuid/usage/cost/':
      return { screen: 'usageCost', orgUuid, projectUuid, ...usageView(text) };
    case '/_console/org/$orgUuid/projects/$projectUuid/usage/activity/':
      return { screen: 'usageActivity', orgUuid, projectUuid, ...usageView(text) };
    case '/_console/org/$orgUuid/billing/$page/': {
      const page = BILLING_PAGES.find((known) => known === params['page']);
      return page ? { screen: 'billing', orgUuid, page } : { screen: 'notFound' };
    }
    case '/_console/org/$orgUuid/projects/$projectUuid/playground/speech-to-text/':
      return playground();
    case '/_console/org/$orgUuid/projects/$projectUuid/playground/speech-to-text/$transcriptionUuid/':
      return { ...playground(), ...optional('transcriptionId', params['transcriptionUuid']) };
    case '/_console/org/$orgUuid/projects/$projectUuid/playground/speech-to-text/new/$fileUuid/':
      return { ...playground(), ...optional('fileId', params['fileUuid']) };
    default: {
      const into = destinationOf(routeId.replace(/^\/_console/, ''), params, search);
      return into ? { screen: 'redirect', into } : plainRouteOf(routeId, orgUuid, projectUuid);
    }
  }
}

const ORGANIZATION_ID = '/_console/org/$orgUuid';
const PROJECT_ID = `${ORGANIZATION_ID}/projects/$projectUuid`;

/** The screens that have no parameters besides organization and project. */
function plainRouteOf(routeId: string, orgUuid: string, projectUuid: string): Route {
  const project = keysOf(PROJECT_PATHS).find((screen) => PROJECT_ID + PROJECT_PATHS[screen] === routeId);
  if (project) return { screen: project, orgUuid, projectUuid };
  const organization = keysOf(ORGANIZATION_PATHS).find((screen) => ORGANIZATION_ID + ORGANIZATION_PATHS[screen] === routeId);
  return organization ? { screen: organization, orgUuid } : { screen: 'notFound' };
}

const keysOf = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table)[];

/** Any other mode means real-time (ASY-01); any other value of the rest means nothing. */
function playgroundView({ mode, panel, show, lines }: Match['search']): PlaygroundView & { mode: PlaygroundMode } {
  return {
    mode: mode === 'async' ? 'async' : 'real-time',
    ...(panel === 'settings' || panel === 'history' ? { panel } : {}),
    ...(show === 'everything' || show === 'original' || show === 'translation' ? { show } : {}),
    ...(lines === 'on' || lines === 'off' ? { lines: lines === 'on' } : {}),
  };
}

/** As it stands in the address: whether there is such a period is for the chart to say. */
const usageView = (text: (key: string) => string | undefined): UsageView => ({
  ...optional('start_date', text('start_date')), ...optional('end_date', text('end_date')), ...optional('period', text('period')),
});

function optional<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: string });
}
