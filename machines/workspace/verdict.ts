// What it means for the open screen that the memberships have been read again.
import type { MembershipsRead } from './actors.ts';
import type { Verdict, WorkspaceContext } from './context.ts';
import { isPlaceLost, isRemovedHere, lossOf, newsOf, refugeOf } from './news.ts';
import { membershipOf, namedBy } from './select.ts';

export const NO_NEWS: Verdict = { news: '', isPlaceLost: false, loss: null, refuge: null, hasOtherRole: false };

/** What another reading of the memberships has changed for who sees the open screen. */
export function verdictOn(
  { route, memberships: before, causes, user }: WorkspaceContext,
  { memberships: after, own }: MembershipsRead,
): Verdict {
  const { orgUuid, projectUuid } = namedBy(route);
  const isLost = isPlaceLost(route, before, after);
  const doings = { own, userUuid: user.uuid };
  const isOwn = [orgUuid, projectUuid].some((uuid) => uuid !== null && isRemovedHere(doings, uuid));
  const [was, is] = [membershipOf(before, orgUuid)?.role, membershipOf(after, orgUuid)?.role];
  return {
    news: newsOf({ memberships: before, causes }, { memberships: after, ...doings }).join(' '),
    isPlaceLost: isLost,
    loss: isLost && !isOwn ? lossOf(route, { memberships: before, causes }, { memberships: after }) : null,
    refuge: isLost && !isOwn ? refugeOf(route, after) : null,
    hasOtherRole: was !== undefined && is !== undefined && was !== is,
  };
}
