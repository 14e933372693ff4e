/** Hooks by which views read and reach the charts. */
import { useSelector } from '@xstate/react';
import type { Membership, Project } from '#contract/organizations.ts';
import type { Zone } from '#machines/root/preferences/actors.ts';
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

/** The settings that the server put into the page. */
export const useSettings = () => useSelector(useRoot(), (snapshot) => snapshot.context.settings);
/** Whether anything has a price on this server. */
export const useHasPrices = (): boolean => Object.keys(useSettings().prices).length > 0;

export const useSession = () => sessionOf(useRoot());
export const useToasts = () => toastsOf(useRoot());
export const usePreferences = () => preferencesOf(useRoot());
/** The zone in which the person wants to read times. */
export const useZone = (): Zone => useSelector(usePreferences(), ({ context }) => context.zone);
export const useClipboard = () => clipboardOf(useRoot());
export const useSwitcher = () => switcherOf(useRoot());

/** The workspace; undefined if nobody is signed in. */
export const useWorkspaceIfAny = () => useSelector(useRoot(), workspaceOf);

/** The workspace. @throws Error if nobody is signed in */
export function useWorkspace() {
  const workspace = useWorkspaceIfAny();
  if (!workspace) throw new Error('Nobody is signed in.');
  return workspace;
}

/** Returns a function that signs out. The workspace asks first if something would be lost. */
export function useSignOut(): () => void {
  const session = useSession();
  const workspace = useWorkspaceIfAny();
  return () =>
    (workspace?.getSnapshot().can({ type: 'signOut.requested' }) ? workspace : session).send({
      type: 'signOut.requested',
    });
}

export const useRoute = (): Route => useSelector(useRoot(), (snapshot) => snapshot.context.route);
/** The mode of the open playground; else the mode that it opens with. */
export const useMode = (): PlaygroundMode =>
  useSelector(useRoot(), ({ context: { route } }) => (route.screen === 'playground' ? route.mode : 'real-time'));

export const useEmail = (): string => useSelector(useWorkspace(), (snapshot) => snapshot.context.user.email);
export const useMemberships = (): readonly Membership[] =>
  useSelector(useWorkspace(), (snapshot) => snapshot.context.memberships);
/** The current organization, with its projects and the person's role. */
export const useMembership = (): Membership | undefined => useSelector(useWorkspace(), currentMembership);
/** The selected project (SEL-01). */
export const useProject = (): Project | undefined => useSelector(useWorkspace(), currentProject);
