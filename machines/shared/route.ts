import type { RenderOption } from '../playground/transcript/lines.ts';

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

export type PlaygroundRoute = PlaygroundView & {
  screen: 'playground';
  orgUuid: string;
  projectUuid: string;
  mode: PlaygroundMode;
  /** The opened transcription, or the file that a new one starts from; never both. */
  transcriptionId?: string;
  fileId?: string;
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

export const BILLING_PAGES = ['overview', 'reports', 'costs', 'payment-setup', 'transactions'] as const;
export type BillingPage = (typeof BILLING_PAGES)[number];

type OrganizationScreen = 'organization' | 'members' | 'invitation' | 'organizationLimits' | 'organizationSettings' | 'auditLog';
type ProjectScreen = 'project' | 'logs' | 'metrics' | 'projectLimits' | 'projectSettings';

/** The period that an address of usage asks for, as it stands there: days of UTC, and the length of the steps. */
export type UsageView = { start_date?: string; end_date?: string; period?: string };
export type UsageRoute = UsageView & { screen: 'usageCost' | 'usageActivity'; orgUuid: string; projectUuid: string };

type ConsoleRoute =
  | { screen: 'home' }
  | { screen: 'user'; poi?: string }
  | { screen: OrganizationScreen; orgUuid: string }
  | { screen: 'billing'; orgUuid: string; page: BillingPage }
  | { screen: ProjectScreen; orgUuid: string; projectUuid: string }
  /** `asks`: for a new key, at once. */
  | { screen: 'apiKeys'; orgUuid: string; projectUuid: string; asks?: true }
  | UsageRoute
  | PlaygroundRoute;

type Placed = Extract<ConsoleRoute, { orgUuid: string }>;
type Unplaced<Screen> = Screen extends Placed ? Omit<Screen, 'orgUuid' | 'projectUuid'> : never;
/** A screen without its place: what short addresses stand for, in whatever organization and project come first. */
export type Destination = Unplaced<Placed>;

/** A short address that leads nowhere, for there is no organization or no project (NAV-04). */
type FailedRedirect = { screen: 'redirect'; into: Destination };

export type Route = PublicRoute | ConsoleRoute | FailedRedirect | { screen: 'notFound' };

/** Whether a way between two routes stays on one screen of one place: only what stands behind it in the address changes. */
export function staysOn(from: Route, to: Route): boolean {
  const place = (route: Route) => ['orgUuid' in route ? route.orgUuid : null, 'projectUuid' in route ? route.projectUuid : null];
  return from.screen === to.screen && place(from).every((uuid, index) => uuid === place(to)[index]);
}

/** An intent that charts emit; the router adapter acts on it. `href` is a same-origin path kept from before sign-in. */
export type Navigate = { type: 'navigate'; to: Route | { href: string }; replace?: boolean };

/** Sent to the root when the router has loaded a location; charts only adopt it, they never navigate because of it. */
export type RouteChanged = { type: 'route.changed'; route: Route };
