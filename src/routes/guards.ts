/** Guards of the routes. They run before the route loads. */
import { notFound, redirect } from '@tanstack/react-router';
import { waitFor } from 'xstate';
import type { RootActor } from '#machines/root/machine.ts';
import { isOwnPath } from '#machines/shared/wayBack.ts';
import { sessionOf, workspaceOf } from '#machines/root/select.ts';
import type { WorkspaceSnapshot } from '#machines/workspace/machine.ts';
import { landingOf } from '#machines/workspace/select.ts';
import { addressOf, parseSearch } from '../locations.ts';
import { destinationOf } from '../screens/shortAddresses.ts';

type GuardContext = { root: RootActor; signal: AbortSignal };

async function isSignedIn({ root, signal }: GuardContext): Promise<boolean> {
  const snapshot = await waitFor(sessionOf(root), (session) => !session.hasTag('loading'), { signal });
  return snapshot.hasTag('signedIn');
}

/** Redirects to sign-in without a session. Sign-in keeps the address that the user wanted (SES-07). */
export async function requireSession(guarded: GuardContext, href: string): Promise<void> {
  if (!(await isSignedIn(guarded))) throw redirect({ to: '/signin/', search: { from: href }, replace: true });
}

/** Redirects a signed-in user from the sign-in page to the address that they wanted. */
export async function leaveWhenSignedIn(guarded: GuardContext, from: string | undefined): Promise<void> {
  if (!(await isSignedIn(guarded))) return;
  const [path = '/', query = ''] = from !== undefined && isOwnPath(from) ? from.split('?') : [];
  throw redirect({ to: path, search: parseSearch(query), replace: true });
}

/** Waits until the workspace has loaded or failed to load. */
export async function settledWorkspace({ root, signal }: GuardContext): Promise<WorkspaceSnapshot | undefined> {
  const signedIn = await waitFor(root, (snapshot) => workspaceOf(snapshot) !== undefined, { signal });
  const workspace = workspaceOf(signedIn);
  return workspace && waitFor(workspace, (snapshot) => !snapshot.hasTag('loading'), { signal });
}

type OpenedRoute = {
  context: { root: RootActor };
  abortController: AbortController;
  params: { page?: string };
  search: Record<string, unknown>;
};

/**
 * Redirects from a short address to the screen that it stands for, with its query (NAV-03). Without an organization or
 * project, the route's own screen says so (NAV-04).
 */
export async function redirectShortAddress(
  path: string,
  { context: { root }, abortController: { signal }, params, search }: OpenedRoute,
): Promise<void> {
  const destination = destinationOf(path, params, search);
  if (!destination) throw notFound();
  const workspace = await settledWorkspace({ root, signal });
  const landing = workspace && landingOf(workspace.context.memberships, destination);
  if (!landing) return;
  const address = addressOf(landing);
  throw redirect({ to: address.to, search: { ...search, ...address.search }, replace: true });
}
