/** The document's title and theme follow the charts. */
import type { PreferencesActor } from '#machines/root/preferences/machine.ts';
import type { RootActor } from '#machines/root/machine.ts';
import { workspaceOf } from '#machines/root/select.ts';
import { membershipOf, projectOf } from '#machines/workspace/select.ts';
import { titleOf } from '../../screens/titles.ts';

/** Sets the document's title to the present screen and its subject (NAV-08). */
export function followTitle(root: RootActor, page: Pick<Document, 'title'> = document): void {
  let followed: ReturnType<typeof workspaceOf>;
  const show = () => {
    page.title = currentTitle(root.getSnapshot());
  };
  // The workspace loads names after the root has the route, and hears of renaming.
  const follow = () => {
    const workspace = workspaceOf(root.getSnapshot());
    if (workspace !== followed) workspace?.subscribe(show);
    followed = workspace;
    show();
  };
  root.subscribe(follow);
  follow();
}

function currentTitle(snapshot: ReturnType<RootActor['getSnapshot']>): string {
  const { route, settings } = snapshot.context;
  const workspace = workspaceOf(snapshot)?.getSnapshot();
  const about = () => {
    if (!workspace) return undefined;
    if ('projectUuid' in route) return projectOf(workspace.context.memberships, route)?.name;
    return 'orgUuid' in route
      ? membershipOf(workspace.context.memberships, route.orgUuid)?.organization.name
      : undefined;
  };
  return titleOf(route, settings.productName, about());
}

/** Sets the page's theme; `system` follows the device as it changes (SHL-13). */
export function followTheme(
  preferences: PreferencesActor,
  page: Document = document,
  device = window.matchMedia('(prefers-color-scheme: dark)'),
): void {
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
