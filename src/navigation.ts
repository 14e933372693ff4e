/** The console's screens as the sidebar lists them and the palette finds them (SHL-04, SHL-05). */
import type { Role } from '#contract/roles.ts';
import type { Destination } from '#machines/shared/route.ts';
import { opens } from '#machines/workspace/access.ts';

export type NavLink = { label: string; to: Destination; /** Whether it stands for everything below its address, too. */ isBranch?: boolean };
/** Links that are folded together; `to` is where the group itself belongs. */
type NavFolder = NavLink & { links: readonly NavLink[]; /** Closed until somebody opens it, or is in it: what is rarely needed leaves the rest in sight. */ isFolded?: boolean };
export type NavEntry = NavLink | NavFolder;

export const ORGANIZATION_ENTRIES: readonly NavEntry[] = [
  { label: 'Dashboard', to: { screen: 'organization' } },
  { label: 'Members', to: { screen: 'members' }, isBranch: true },
  { label: 'Limits', to: { screen: 'organizationLimits' } },
  {
    label: 'Billing',
    to: { screen: 'billing', page: 'overview' },
    isFolded: true,
    links: [
      { label: 'Overview', to: { screen: 'billing', page: 'overview' } },
      { label: 'Reports', to: { screen: 'billing', page: 'reports' } },
      { label: 'Cost table', to: { screen: 'billing', page: 'costs' } },
      { label: 'Payment setup', to: { screen: 'billing', page: 'payment-setup' } },
      { label: 'Transactions', to: { screen: 'billing', page: 'transactions' } },
    ],
  },
  { label: 'Settings', to: { screen: 'organizationSettings' } },
  { label: 'Audit log', to: { screen: 'auditLog' } },
];

export const PROJECT_ENTRIES: readonly NavEntry[] = [
  { label: 'Project home', to: { screen: 'project' } },
  {
    label: 'Playground',
    to: { screen: 'playground', mode: 'real-time' },
    links: [{ label: 'Speech-to-Text', to: { screen: 'playground', mode: 'real-time' }, isBranch: true }],
  },
  { label: 'API keys', to: { screen: 'apiKeys' } },
  {
    label: 'Usage',
    to: { screen: 'usageCost' },
    links: [
      { label: 'Cost', to: { screen: 'usageCost' } },
      { label: 'Activity', to: { screen: 'usageActivity' } },
    ],
  },
  { label: 'Logs', to: { screen: 'logs' } },
  { label: 'Metrics', to: { screen: 'metrics' } },
  { label: 'Limits', to: { screen: 'projectLimits' } },
  { label: 'Settings', to: { screen: 'projectSettings' } },
];

/** The entries that a role opens (ORG-08); what is in one folder has one need. */
export const offered = (entries: readonly NavEntry[], role: Role): readonly NavEntry[] => entries.filter(({ to }) => opens(role, to.screen));

/** Every screen of some entries by itself, folders by what is in them. */
export function linksOf(entries: readonly NavEntry[]): readonly NavLink[] {
  return entries.flatMap((entry) => ('links' in entry ? entry.links.map((link) => ({ ...link, label: `${entry.label}: ${link.label}` })) : [entry]));
}
