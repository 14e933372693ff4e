/**
 * One row for each screen of an organization or a project: all that the browser knows of it besides its view. Addresses,
 * routes, titles, sidebar, palette and short addresses are derived from here.
 */
import { type Destination, type PlacedRoute } from '#machines/shared/route.ts';
import type { ScreenName } from '#machines/shared/screens.ts';

type Text = Record<string, string | undefined>;

/** What a matched address holds: the parameters of its path, and its query. */
type PlaceMatch = { params: Text; search: Record<string, unknown> };

/** What the address of a screen tells besides its place; null where there is no such thing. */
type Reader<Name extends ScreenName> = (match: PlaceMatch) => Omit<Destination<Name>, 'screen'> | null;

export type Icon =
  | 'audio'
  | 'bars'
  | 'card'
  | 'folder'
  | 'gauge'
  | 'gear'
  | 'key'
  | 'logs'
  | 'overview'
  | 'people'
  | 'pulse'
  | 'scroll'
  | 'webhook';

type Link<Name extends ScreenName> = {
  /** The screen's title, unless it is called differently here. */
  label?: string;
  icon: Icon;
  /** Which of its addresses, where it has several. */
  to?: Omit<Destination<Name>, 'screen'>;
  /** The links of one folder stand together. */
  folder?: string;
  /** Whether it stands for everything below its address, too. */
  isBranch?: true;
};

export type ScreenRow<Name extends ScreenName = ScreenName> = {
  /**
   * Below its organization or project. A screen with several addresses keeps its page between them: they begin with the
   * first one.
   */
  paths: readonly [string, ...string[]];
  title: string;
  /** Where its addresses are called differently. */
  titleOf?(to: Destination<Name>): string;
  /** At the end of the breadcrumb, where its title is too long for a phone. */
  crumb?: string;
  /** In the middle of a sentence, where that is not the title in lower case (spec §2). */
  inSentence?: string;
  /** In the sidebar and the palette; a screen without links has a command. */
  links: readonly Link<Name>[];
  /** What leads there from the palette, where the screen is not in the sidebar. */
  command?: string;
  read?: Reader<Name>;
  /** The path below its place, where that is not the first one, and the query. */
  write?(route: PlacedRoute<Name>): { path?: string; search?: Text };
  /** Whether its query holds what it writes and nothing else. */
  isQueryOwn?: true;
  /** Other addresses below its place that lead to it. */
  aliases?: Readonly<Record<string, Reader<Name>>>;
  /** The address that shows the same, where one says what means nothing. */
  plain?(route: PlacedRoute<Name>): PlacedRoute<Name>;
  /** Addresses without a place, which lead into the first one there is (NAV-03). */
  short?: Readonly<Record<string, Reader<Name>>>;
};

const textOf = ({ search }: PlaceMatch, key: string) => (typeof search[key] === 'string' ? search[key] : undefined);

/** Only what is there. */
export function optional<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: string });
}

const nothing = () => ({});
/** A query whose texts are told as they stand in the address: what they mean, if anything, is for the chart to say. */
function query<const Key extends string>(...keys: readonly Key[]) {
  type Texts = { [K in Key]?: string };
  return {
    read: (match: PlaceMatch) => Object.assign({}, ...keys.map((key) => optional(key, textOf(match, key)))) as Texts,
    write: (route: Texts) => ({ search: Object.fromEntries(keys.map((key) => [key, route[key]])) as Text }),
  };
}

const DAYS = ['start_date', 'end_date'] as const;
const period = query(...DAYS, 'period');

/** Any other mode means real-time (ASY-01). */
const modeOf = ({ search: { mode } }: PlaceMatch) => ({
  mode: mode === 'async' ? ('async' as const) : ('real-time' as const),
});
const live = () => ({ mode: 'real-time' as const });
const files = () => ({ mode: 'async' as const });
const PLAYGROUND = '/playground/speech-to-text';

export const ROWS: { readonly [Name in ScreenName]: ScreenRow<Name> } = {
  organization: { paths: ['/'], title: 'Dashboard', links: [{ icon: 'overview' }] },
  members: {
    paths: ['/members/'],
    title: 'Members',
    links: [{ icon: 'people', isBranch: true }],
    short: { '/org/members/': nothing },
  },
  invitation: { paths: ['/members/invite/'], title: 'Invite a member', links: [], command: 'Invite a member' },
  organizationLimits: {
    paths: ['/limits/'],
    title: 'Organization limits',
    links: [{ label: 'Limits', icon: 'gauge' }],
    short: { '/org/limits/': nothing },
  },
  billingOverview: {
    paths: ['/billing/overview/'],
    title: 'Billing overview',
    links: [{ label: 'Overview', icon: 'card', folder: 'Billing' }],
    ...query(...DAYS, 'attempt'),
    aliases: { '/billing/': nothing },
    short: { '/org/billing/': nothing, '/org/billing/overview/': nothing },
  },
  billingReports: {
    paths: ['/billing/reports/'],
    title: 'Billing reports',
    links: [{ label: 'Reports', icon: 'card', folder: 'Billing' }],
    ...query(...DAYS, 'project_ids', 'service_ids', 'period'),
    short: { '/org/billing/reports/': nothing },
  },
  costTable: {
    paths: ['/billing/costs/'],
    title: 'Cost table',
    links: [{ icon: 'card', folder: 'Billing' }],
    ...query(...DAYS),
    short: { '/org/billing/costs/': nothing },
  },
  paymentSetup: {
    paths: ['/billing/payment-setup/'],
    title: 'Payment setup',
    links: [{ icon: 'card', folder: 'Billing' }],
    ...query('attempt'),
    short: { '/org/billing/payment-setup/': nothing },
  },
  transactions: {
    paths: ['/billing/transactions/'],
    title: 'Transactions',
    links: [{ icon: 'card', folder: 'Billing' }],
    ...query('offset', 'limit'),
    short: { '/org/billing/transactions/': nothing },
  },
  organizationSettings: {
    paths: ['/settings/'],
    title: 'Organization settings',
    links: [{ label: 'Settings', icon: 'gear' }],
    short: { '/org/settings/': nothing },
  },
  auditLog: { paths: ['/audit/'], title: 'Audit log', links: [{ icon: 'scroll' }] },
  project: { paths: ['/'], title: 'Project', links: [{ label: 'Project home', icon: 'folder' }] },
  playground: {
    paths: [`${PLAYGROUND}/`, `${PLAYGROUND}/new/$fileUuid/`, `${PLAYGROUND}/$transcriptionUuid/`],
    title: 'Speech-to-Text playground',
    crumb: 'Speech-to-Text',
    inSentence: 'playground',
    links: [
      { label: 'Speech-to-Text', icon: 'audio', folder: 'Playground', to: { mode: 'real-time' }, isBranch: true },
    ],
    isQueryOwn: true,
    read: (match) => {
      const { panel, show, lines } = match.search;
      return {
        ...modeOf(match),
        ...(panel === 'settings' || panel === 'history' ? { panel } : {}),
        ...(show === 'everything' || show === 'original' || show === 'translation' ? { show } : {}),
        ...(lines === 'on' || lines === 'off' ? { lines: lines === 'on' } : {}),
        ...optional('transcriptionId', match.params['transcriptionUuid']),
        ...optional('fileId', match.params['fileUuid']),
      };
    },
    write: ({ mode, panel, show, lines, transcriptionId, fileId }) => ({
      search: { mode, panel, show, lines: lines === undefined ? undefined : lines ? 'on' : 'off' },
      ...(transcriptionId
        ? { path: `${PLAYGROUND}/${encodeURIComponent(transcriptionId)}/` }
        : fileId
          ? { path: `${PLAYGROUND}/new/${encodeURIComponent(fileId)}/` }
          : {}),
    }),
    // Settings with nothing to set anything for: the plain address (ASY-06).
    plain: (route) => {
      if (route.mode !== 'async' || route.panel !== 'settings' || route.transcriptionId || route.fileId) return route;
      const { panel: _, ...rest } = route;
      return rest;
    },
    aliases: { '/playground/': modeOf, '/playground/transcribe-file/': files, '/playground/transcribe-live/': live },
    short: {
      '/playground/': modeOf,
      '/playground/speech-to-text/': modeOf,
      '/playground/transcribe-live/': live,
      '/playground/transcribe-async/': files,
      '/org/projects/playground/speech-to-text/': modeOf,
    },
  },
  apiKeys: {
    paths: ['/api/keys/'],
    title: 'API keys',
    inSentence: 'API Keys',
    links: [{ icon: 'key' }],
    read: ({ search }) => (search['new'] === 'key' ? { asks: true } : {}),
    write: ({ asks }) => ({ search: { new: asks ? 'key' : undefined } }),
    short: { '/api-keys/': nothing, '/org/projects/api/keys/': nothing },
  },
  webhooks: {
    paths: ['/api/webhooks/'],
    title: 'Webhooks',
    links: [{ icon: 'webhook' }],
    ...query('state', 'webhook'),
  },
  usageCost: {
    paths: ['/usage/cost/'],
    title: 'Usage cost',
    links: [{ label: 'Cost', icon: 'bars', folder: 'Usage' }],
    ...period,
    short: { '/org/projects/usage/cost/': nothing },
  },
  usageActivity: {
    paths: ['/usage/activity/'],
    title: 'Usage activity',
    links: [{ label: 'Activity', icon: 'bars', folder: 'Usage' }],
    ...period,
    short: { '/org/projects/usage/activity/': nothing },
  },
  logs: {
    paths: ['/api/logs/'],
    title: 'Logs',
    links: [{ icon: 'logs' }],
    ...query('kind', 'status', 'model', 'key', 'reference', 'error', 'period', 'from', 'to', 'log'),
  },
  metrics: {
    paths: ['/metrics/'],
    title: 'Metrics',
    links: [{ icon: 'pulse' }],
    ...period,
  },
  projectLimits: {
    paths: ['/limits/'],
    title: 'Project limits',
    links: [{ label: 'Limits', icon: 'gauge' }],
    short: { '/org/projects/limits/': nothing },
  },
  projectSettings: {
    paths: ['/settings/'],
    title: 'Project settings',
    links: [{ label: 'Settings', icon: 'gear' }],
    short: { '/org/projects/settings/': nothing },
  },
};

/** The row of any screen, for what asks for nothing particular. */
export const rowOf = (name: ScreenName): ScreenRow => ROWS[name];

export const SCREEN_NAMES = Object.keys(ROWS) as ScreenName[];

/** A screen with what its address tells besides its place. */
export const destination = (screen: ScreenName, details: object): Destination =>
  ({ screen, ...details }) as Destination;
