import {
  Activity,
  AudioLines,
  ChartColumn,
  CreditCard,
  Folder,
  Gauge,
  KeyRound,
  LayoutDashboard,
  Logs,
  ScrollText,
  Settings,
  Users,
  Webhook,
  type LucideIcon,
} from 'lucide-react';
import type { ReactNode } from 'react';
import type { Route } from '#machines/shared/route.ts';
import { placed } from '#machines/workspace/select.ts';
import { hrefOf } from '../../locations.ts';
import type { NavEntry, NavLink } from '../../screens/navigation.ts';
import type { Icon } from '../../screens/row.ts';
import { useMode, useRoute } from '../ui/state.ts';
import { NavGroup } from './NavGroup.tsx';
import { NavItem } from './NavItem.tsx';

const ICONS: Readonly<Record<Icon, LucideIcon>> = {
  audio: AudioLines,
  bars: ChartColumn,
  card: CreditCard,
  folder: Folder,
  gauge: Gauge,
  gear: Settings,
  key: KeyRound,
  logs: Logs,
  overview: LayoutDashboard,
  people: Users,
  pulse: Activity,
  scroll: ScrollText,
  webhook: Webhook,
};

type Props = { entries: readonly NavEntry[]; orgUuid: string; projectUuid?: string };

/** Sidebar entries of an organization or a project. */
export function NavEntries({ entries, orgUuid, projectUuid }: Props) {
  const place = { orgUuid, projectUuid: projectUuid ?? null };
  return (
    <ul className="nav-list">
      {entries.map((entry) => (
        <Entry key={entry.label} entry={entry} {...place} />
      ))}
    </ul>
  );
}

type Place = { orgUuid: string; projectUuid: string | null };

function Entry({ entry, ...place }: Place & { entry: NavEntry }) {
  const Icon = ICONS[entry.icon];
  const { screen } = useRoute();
  const own = placed(entry.to, place.orgUuid, place.projectUuid);
  if (!own) return null;
  if (!('links' in entry)) return <Leaf link={entry} icon={<Icon size={16} aria-hidden />} {...place} />;
  return (
    <NavGroup
      link={hrefOf(own)}
      label={entry.label}
      icon={<Icon size={16} aria-hidden />}
      startsOpen={!entry.isFolded || entry.links.some(({ to }) => to.screen === screen)}
    >
      {entry.links.map((link) => (
        <Leaf key={link.label} link={link} {...place} />
      ))}
    </NavGroup>
  );
}

function Leaf({ link, icon, orgUuid, projectUuid }: Place & { link: NavLink; icon?: ReactNode }) {
  const mode = useMode();
  const to: Route | null = placed(
    link.to.screen === 'playground' ? { ...link.to, mode } : link.to,
    orgUuid,
    projectUuid,
  );
  if (!to) return null;
  return (
    <NavItem to={to} icon={icon} isBranch={link.isBranch}>
      {link.label}
    </NavItem>
  );
}
