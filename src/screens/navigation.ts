/** Entries of the sidebar and the palette (SHL-04, SHL-05). */
import type { Role } from '#contract/roles.ts';
import type { Destination } from '#machines/shared/route.ts';
import { SCREENS } from '#machines/shared/screens.ts';
import { canOpen } from '#machines/workspace/access.ts';
import type { Icon } from './row.ts';
import { destination, rowOf, SCREEN_NAMES } from './rows.ts';

export type NavLink = {
  label: string;
  icon: Icon;
  to: Destination;
  /** Whether it is current also for addresses below its own. */
  isBranch: boolean;
};
/** A group of links; `to` is the group's own target. */
type NavFolder = NavLink & {
  links: readonly NavLink[];
  /** Closed until the user opens it or one of its screens. */
  isFolded: boolean;
};
export type NavEntry = NavLink | NavFolder;

/** Folders that start closed. */
const FOLDED: ReadonlySet<string> = new Set(['Billing']);

function entriesOf(place: 'organization' | 'project'): readonly NavEntry[] {
  const entries: NavEntry[] = [];
  const folders = new Map<string, NavLink[]>();
  for (const name of SCREEN_NAMES.filter((screen) => SCREENS[screen].of === place)) {
    const { title, links: own } = rowOf(name);
    for (const { label = title, icon, folder, isBranch = false, to = {} } of own) {
      const link = { label, icon, to: destination(name, to), isBranch };
      const links = folder === undefined ? undefined : folders.get(folder);
      if (folder === undefined) entries.push(link);
      else if (links) links.push(link);
      else {
        const opened = [link];
        folders.set(folder, opened);
        entries.push({
          label: folder,
          icon,
          to: link.to,
          isBranch: false,
          links: opened,
          isFolded: FOLDED.has(folder),
        });
      }
    }
  }
  return entries;
}

export const ORGANIZATION_ENTRIES = entriesOf('organization');
export const PROJECT_ENTRIES = entriesOf('project');

/** Entries that the role may open (ORG-08). All links of a folder need the same right. */
export const offered = (entries: readonly NavEntry[], role: Role): readonly NavEntry[] =>
  entries.filter(({ to }) => canOpen(role, to.screen));

/** The links of entries, with those of folders. */
export function linksOf(entries: readonly NavEntry[]): readonly NavLink[] {
  return entries.flatMap((entry) =>
    'links' in entry ? entry.links.map((link) => ({ ...link, label: `${entry.label}: ${link.label}` })) : [entry],
  );
}
