/** Who may see which routes; run before anything of the route loads. */
import { redirect } from '@tanstack/react-router';
import { waitFor } from 'xstate';
import type { RootActor } from '#machines/root/machine.ts';
import { isOwnPath } from '#machines/root/routes.ts';
import { sessionOf } from '#machines/root/select.ts';
import { parseSearch } from '../locations.ts';

type Guarded = { root: RootActor; signal: AbortSignal };

async function isSignedIn({ root, signal }: Guarded): Promise<boolean> {
  const snapshot = await waitFor(sessionOf(root), (session) => !session.hasTag('loading'), { signal });
  return snapshot.hasTag('signedIn');
}

/** Console pages need a session; sign-in keeps where the user was going (SES-07). */
export async function requireSession(guarded: Guarded, href: string): Promise<void> {
  if (!(await isSignedIn(guarded))) throw redirect({ to: '/signin/', search: { from: href }, replace: true });
}

/** A signed-in user has no business on the sign-in page: on to where they were going. */
export async function leaveWhenSignedIn(guarded: Guarded, from: string | undefined): Promise<void> {
  if (!(await isSignedIn(guarded))) return;
  const [path = '/', query = ''] = from !== undefined && isOwnPath(from) ? from.split('?') : [];
  throw redirect({ to: path, search: parseSearch(query), replace: true });
}
