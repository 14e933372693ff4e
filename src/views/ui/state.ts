/** What console views read of the charts, by small selectors. */
import { useSelector } from '@xstate/react';
import type { Membership, Project } from '#contract/organizations.ts';
import {
  clipboardOf,
  currentMembership,
  currentProject,
  preferencesOf,
  sessionOf,
  switcherOf,
  toastsOf,
  workspaceOf,
} from '#machines/root/select.ts';
import type { PlaygroundMode, Route } from '#machines/shared/route.ts';
import { useRoot } from '../../actors.ts';

/** The names, addresses and links that the server put into the page. */
export const useSettings = () => useSelector(useRoot(), (snapshot) => snapshot.context.settings);

export const useSession = () => sessionOf(useRoot());
export const useToasts = () => toastsOf(useRoot());
export const usePreferences = () => preferencesOf(useRoot());
export const useClipboard = () => clipboardOf(useRoot());
export const useSwitcher = () => switcherOf(useRoot());

/** The workspace; undefined while nobody is signed in. */
export const useWorkspaceIfAny = () => useSelector(useRoot(), workspaceOf);

/** The workspace of who is signed in. @throws outside of the console's layout. */
export function useWorkspace() {
  const workspace = useWorkspaceIfAny();
  if (!workspace) throw new Error('Nobody is signed in.');
  return workspace;
}

/** Signs out; where something would be lost, the workspace asks first. */
export function useSignOut(): () => void {
  const session = useSession();
  const workspace = useWorkspaceIfAny();
  return () =>
    (workspace?.getSnapshot().can({ type: 'signOut.requested' }) ? workspace : session).send({
      type: 'signOut.requested',
    });
}

export const useRoute = (): Route => useSelector(useRoot(), (snapshot) => snapshot.context.route);
/** The playground's mode where it is open; else the one that it opens with. */
export const useMode = (): PlaygroundMode =>
  useSelector(useRoot(), ({ context: { route } }) => (route.screen === 'playground' ? route.mode : 'real-time'));

export const useEmail = (): string => useSelector(useWorkspace(), (snapshot) => snapshot.context.user.email);
export const useMemberships = (): readonly Membership[] =>
  useSelector(useWorkspace(), (snapshot) => snapshot.context.memberships);
/** The organization that the console is about at the moment, with its projects. */
export const useMembership = (): Membership | undefined => useSelector(useWorkspace(), currentMembership);
/** The selected project (SEL-01). */
export const useProject = (): Project | undefined => useSelector(useWorkspace(), currentProject);
