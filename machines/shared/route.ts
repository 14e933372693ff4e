import type { RenderOption } from '../playground/transcript/lines.ts';
import type { SCREENS, ScreenName } from './screens.ts';

/**
 * Where the user is, as the charts see it: a screen with its parameters, no paths. `src/router.ts` maps it to the URL
 * and back; it is the only place that does.
 */
export type PlaygroundMode = 'async' | 'real-time';

/** What of the playground the address tells besides; what is left out is as it is by itself. */
export type PlaygroundView = {
  panel?: 'settings' | 'history';
  /** Originals, translations, or both. */
  show?: RenderOption;
  /** Whether each stands on lines of its own. */
  lines?: boolean;
};

type PublicRoute =
  | { screen: 'signIn'; from?: string }
  | { screen: 'signUp'; from?: string }
  | { screen: 'activation'; token: string }
  | { screen: 'resendActivation' }
  | { screen: 'passwordRecovery' }
  | { screen: 'passwordReset'; token: string }
  /** Where the identity provider sends people back to, with its query as it is. */
  | { screen: 'ssoCallback'; query: string }
  | { screen: 'invite'; token: string };

/** The period that an address of usage or metrics asks for, as it stands there: days of UTC, and the length of the steps. */
export type UsageView = { start_date?: string; end_date?: string; period?: string };

/** The days that an address of billing asks for, as they stand there. */
export type DaysView = { start_date?: string; end_date?: string };

/** What an address of billing reports asks for, as it stands there: a period, and lists with commas. */
export type ReportsView = UsageView & { project_ids?: string; service_ids?: string };

/** The page of a list that an address asks for, as it stands there. */
export type TransactionsView = { offset?: string; limit?: string };

/** Which requests an address of the logs asks for, as it stands there, and which one is open. */
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

/** Which webhooks an address asks for, as it stands there, and which one is open. */
export type WebhooksView = { state?: string; webhook?: string };

/** What the address of a screen tells besides its place. */
type Parameters = {
  /** For a new key, at once. */
  apiKeys: { asks?: true };
  /** `attempt`: the payment, or the setup, that somebody comes back from. */
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

/** A screen without its place: what short addresses stand for, in whatever organization and project come first. */
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

/** A short address that leads nowhere, for there is no organization or no project (NAV-04). */
type FailedRedirect = { screen: 'redirect'; into: Destination };

/** An address that no screen has; where it begins with an organization, or a project, that is known. */
type NotFound = { screen: 'notFound' } & (object | { orgUuid: string } | { orgUuid: string; projectUuid: string });

export type Route = PublicRoute | ConsoleRoute | FailedRedirect | NotFound;

/** Whether a way between two routes stays on one screen of one place: only what stands behind it in the address changes. */
export function staysOn(from: Route, to: Route): boolean {
  const place = (route: Route) => [
    'orgUuid' in route ? route.orgUuid : null,
    'projectUuid' in route ? route.projectUuid : null,
  ];
  return from.screen === to.screen && place(from).every((uuid, index) => uuid === place(to)[index]);
}

/** An intent that charts emit; the router adapter acts on it. `href` is a same-origin path kept from before sign-in. */
export type Navigate = { type: 'navigate'; to: Route | { href: string }; replace?: boolean };

/** Sent to the root when the router has loaded a location; charts only adopt it, they never navigate because of it. */
export type RouteChanged = { type: 'route.changed'; route: Route };
