import type { SCREENS, ScreenName } from './screens.ts';

/**
 * Where the user is, as the charts see it: a screen with its parameters, no paths. `src/router.ts` maps it to the URL
 * and back; it is the only place that does.
 */
export type PlaygroundMode = 'async' | 'real-time';

/** Which side of a translated transcript is shown. */
export type RenderOption = 'everything' | 'translation' | 'original';

/** Optional parameters of the playground's address; those left out have their defaults. */
export type PlaygroundView = {
  panel?: 'settings' | 'history';
  /** Shows originals, translations, or both. */
  show?: RenderOption;
  /** Whether originals and translations have separate lines. */
  lines?: boolean;
  /** The request of the logs that is tried again. */
  log?: string;
};

type PublicRoute =
  | { screen: 'signIn'; from?: string }
  | { screen: 'signUp'; from?: string }
  | { screen: 'activation'; token: string }
  | { screen: 'resendActivation' }
  | { screen: 'passwordRecovery' }
  | { screen: 'passwordReset'; token: string }
  /** The identity provider sends people back here; `query` is unchanged. */
  | { screen: 'ssoCallback'; query: string }
  | { screen: 'invite'; token: string };

/** Parameters of usage and metrics, unchecked: days in UTC, and the length of a step. */
export type UsageView = { start_date?: string; end_date?: string; period?: string };

/** Parameters of billing, unchecked: days in UTC. */
export type DaysView = { start_date?: string; end_date?: string };

/** Parameters of billing reports, unchecked: a period, and comma-separated lists. */
export type ReportsView = UsageView & { project_ids?: string; service_ids?: string };

/** Parameters of a paged list of transactions, unchecked. */
export type TransactionsView = { kind?: string; offset?: string; limit?: string };

/** Parameters of the logs, unchecked: the filter, and the open request (`log`). */
export type LogsView = {
  kind?: string;
  status?: string;
  model?: string;
  key?: string;
  reference?: string;
  error?: string;
  period?: string;
  from?: string;
  to?: string;
  log?: string;
};

/** Parameters of webhooks, unchecked: the filter, and the open webhook. */
export type WebhooksView = { state?: string; webhook?: string };

/** Each screen's parameters besides its place. */
type Parameters = {
  /** Whether to open the form for a new key at once. */
  apiKeys: { isCreating?: true };
  /** `attempt`: the payment or setup that the person returns from. */
  billingOverview: DaysView & { attempt?: string };
  paymentSetup: { attempt?: string };
  billingReports: ReportsView;
  costTable: DaysView;
  transactions: TransactionsView;
  usageCost: UsageView;
  usageActivity: UsageView;
  logs: LogsView;
  webhooks: WebhooksView;
  metrics: UsageView;
  playground: PlaygroundView & {
    mode: PlaygroundMode;
    /** The opened transcription, or the file that a new one starts from; never both. */
    transcriptionId?: string;
    fileId?: string;
  };
};

/** A screen without its place. A short address opens it in the default organization and project. */
export type Destination<Name extends ScreenName = ScreenName> = Name extends ScreenName
  ? { screen: Name } & (Name extends keyof Parameters ? Parameters[Name] : unknown)
  : never;

/** A screen of an organization or a project. */
export type PlacedRoute<Name extends ScreenName = ScreenName> = Name extends ScreenName
  ? Destination<Name> & { orgUuid: string } & ((typeof SCREENS)[Name]['of'] extends 'project'
        ? { projectUuid: string }
        : unknown)
  : never;

export type PlaygroundRoute = PlacedRoute<'playground'>;
export type UsageRoute = PlacedRoute<'usageCost' | 'usageActivity'>;
export type LogsRoute = PlacedRoute<'logs'>;
export type WebhooksRoute = PlacedRoute<'webhooks'>;
export type BillingOverviewRoute = PlacedRoute<'billingOverview'>;
export type MetricsRoute = PlacedRoute<'metrics'>;
export type ReportsRoute = PlacedRoute<'billingReports'>;
export type CostTableRoute = PlacedRoute<'costTable'>;
export type TransactionsRoute = PlacedRoute<'transactions'>;

type ConsoleRoute = { screen: 'home' } | { screen: 'welcome' } | { screen: 'user'; poi?: string } | PlacedRoute;

/** A short address of somebody without an organization or project (NAV-04). */
type FailedRedirect = { screen: 'redirect'; into: Destination };

/** An address without a screen, with the organization and project that it begins with, if any. */
type NotFound = { screen: 'notFound' } & (object | { orgUuid: string } | { orgUuid: string; projectUuid: string });

export type Route = PublicRoute | ConsoleRoute | FailedRedirect | NotFound;

/** Whether two routes show the same screen of the same place; their parameters may differ. */
export function staysOn(from: Route, to: Route): boolean {
  const place = (route: Route) => [
    'orgUuid' in route ? route.orgUuid : null,
    'projectUuid' in route ? route.projectUuid : null,
  ];
  return from.screen === to.screen && place(from).every((uuid, index) => uuid === place(to)[index]);
}

/** A navigation that charts emit and the router does. `href` is a same-origin path kept from before sign-in. */
export type Navigate = { type: 'navigate'; to: Route | { href: string }; replace?: boolean };

/** Sent to the root when the router has loaded a location; charts only adopt it, they never navigate because of it. */
export type RouteChanged = { type: 'route.changed'; route: Route };
