/** What of the charts shows outside of the page's own content: the document's title, and its theme. */
import type { PreferencesActor } from '#machines/preferences/machine.ts';
import type { RootActor } from '#machines/root/machine.ts';
import { workspaceOf, currentMembership, currentProject } from '#machines/root/select.ts';
import { titleOf } from '../titles.ts';

/** Keeps the document's title at the present screen and what it is about (NAV-08). */
export function followTitle(root: RootActor, page: Pick<Document, 'title'> = document): void {
  root.select(currentTitle).subscribe((title) => (page.title = title));
  page.title = currentTitle(root.getSnapshot());
}

function currentTitle(snapshot: ReturnType<RootActor['getSnapshot']>): string {
  const { route, settings } = snapshot.context;
  const workspace = workspaceOf(snapshot)?.getSnapshot();
  const about = () => {
    if (!workspace) return undefined;
    if (route.screen === 'organization') return currentMembership(workspace)?.organization.name;
    if ('projectUuid' in route) return currentProject(workspace)?.name;
    return undefined;
  };
  return titleOf(route, settings.productName, about());
}

/** Puts the chosen theme on the page; `system` follows the device, also while it changes (SHL-13). */
export function followTheme(preferences: PreferencesActor, page: Document = document, device = window.matchMedia('(prefers-color-scheme: dark)')): void {
  const show = () => {
    const { theme } = preferences.getSnapshot().context;
    const isDark = theme === 'dark' || (theme === 'system' && device.matches);
    page.documentElement.classList.toggle('dark', isDark);
    page.documentElement.classList.toggle('light', !isDark);
    page.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
  };
  preferences.subscribe(show);
  device.addEventListener('change', show);
  show();
}
