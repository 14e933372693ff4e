/**
 * One row for each screen of an organization or a project. Addresses, routes, titles, sidebar, palette and short
 * addresses follow from the rows.
 */
import { type Destination, type PlacedRoute } from '#machines/shared/route.ts';
import type { ScreenName } from '#machines/shared/screens.ts';

type Text = Record<string, string | undefined>;

/** Path parameters and query of a matched address. */
type PlaceMatch = { params: Text; search: Record<string, unknown> };

/** Reads a screen's details from its address; null if the address names nothing. */
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
  /** Replaces the screen's title. */
  label?: string;
  icon: Icon;
  /** One of the screen's addresses, if it has several. */
  to?: Omit<Destination<Name>, 'screen'>;
  /** The folder that groups the link with others. */
  folder?: string;
  /** Whether it is current also for addresses below its own. */
  isBranch?: true;
};

export type ScreenRow<Name extends ScreenName = ScreenName> = {
  /** Below the place. The page stays mounted between several paths; all begin with the first one. */
  paths: readonly [string, ...string[]];
  title: string;
  /** The title by address, if its addresses have different titles. */
  titleOf?(to: Destination<Name>): string;
  /** Shorter title for the end of the breadcrumb. */
  crumb?: string;
  /** The title inside a sentence, if not the title in lower case (spec §2). */
  inSentence?: string;
  /** Links in sidebar and palette. A screen without links has a `command`. */
  links: readonly Link<Name>[];
  /** Text in the palette of a screen that is not in the sidebar. */
  command?: string;
  read?: Reader<Name>;
  /** The path, if not the first one, and the query. */
  write?(route: PlacedRoute<Name>): { path?: string; search?: Text };
  /** Drops parameters of the query that `write` does not write. */
  isQueryOwn?: true;
  /** Other addresses below the place that redirect to it. */
  aliases?: Readonly<Record<string, Reader<Name>>>;
  /** The same route without parts that mean nothing. */
  plain?(route: PlacedRoute<Name>): PlacedRoute<Name>;
  /** Addresses without a place, which redirect to the first place (NAV-03). */
  short?: Readonly<Record<string, Reader<Name>>>;
};

const textOf = ({ search }: PlaceMatch, key: string) => (typeof search[key] === 'string' ? search[key] : undefined);

/** An object with the value, or an empty one if it is undefined. */
export function optional<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]: string });
}

const noDetails = () => ({});
/** Reads and writes parameters of the query as plain texts. The chart decides what they mean. */
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
    short: { '/org/members/': noDetails },
  },
  invitation: { paths: ['/members/invite/'], title: 'Invite a member', links: [], command: 'Invite a member' },
  organizationLimits: {
    paths: ['/limits/'],
    title: 'Organization limits',
    links: [{ label: 'Limits', icon: 'gauge' }],
    short: { '/org/limits/': noDetails },
  },
  billingOverview: {
    paths: ['/billing/overview/'],
    title: 'Billing overview',
    links: [{ label: 'Overview', icon: 'card', folder: 'Billing' }],
    ...query(...DAYS, 'attempt'),
    aliases: { '/billing/': noDetails },
    short: { '/org/billing/': noDetails, '/org/billing/overview/': noDetails },
  },
  billingReports: {
    paths: ['/billing/reports/'],
    title: 'Billing reports',
    links: [{ label: 'Reports', icon: 'card', folder: 'Billing' }],
    ...query(...DAYS, 'project_ids', 'service_ids', 'period'),
    short: { '/org/billing/reports/': noDetails },
  },
  costTable: {
    paths: ['/billing/costs/'],
    title: 'Cost table',
    links: [{ icon: 'card', folder: 'Billing' }],
    ...query(...DAYS),
    short: { '/org/billing/costs/': noDetails },
  },
  paymentSetup: {
    paths: ['/billing/payment-setup/'],
    title: 'Payment setup',
    links: [{ icon: 'card', folder: 'Billing' }],
    ...query('attempt'),
    short: { '/org/billing/payment-setup/': noDetails },
  },
  transactions: {
    paths: ['/billing/transactions/'],
    title: 'Transactions',
    links: [{ icon: 'card', folder: 'Billing' }],
    ...query('offset', 'limit'),
    short: { '/org/billing/transactions/': noDetails },
  },
  organizationSettings: {
    paths: ['/settings/'],
    title: 'Organization settings',
    links: [{ label: 'Settings', icon: 'gear' }],
    short: { '/org/settings/': noDetails },
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
    // The settings panel needs a file or a transcription (ASY-06).
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
    read: ({ search }) => (search['new'] === 'key' ? { isCreating: true } : {}),
    write: ({ isCreating }) => ({ search: { new: isCreating ? 'key' : undefined } }),
    short: { '/api-keys/': noDetails, '/org/projects/api/keys/': noDetails },
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
    short: { '/org/projects/usage/cost/': noDetails },
  },
  usageActivity: {
    paths: ['/usage/activity/'],
    title: 'Usage activity',
    links: [{ label: 'Activity', icon: 'bars', folder: 'Usage' }],
    ...period,
    short: { '/org/projects/usage/activity/': noDetails },
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
    short: { '/org/projects/limits/': noDetails },
  },
  projectSettings: {
    paths: ['/settings/'],
    title: 'Project settings',
    links: [{ label: 'Settings', icon: 'gear' }],
    short: { '/org/projects/settings/': noDetails },
  },
};

/** The row of any screen, without its own types. */
export const rowOf = (name: ScreenName): ScreenRow => ROWS[name];

export const SCREEN_NAMES = Object.keys(ROWS) as ScreenName[];

/** A screen with the details of its address. */
export const destination = (screen: ScreenName, details: object): Destination =>
  ({ screen, ...details }) as Destination;
