import type { MembershipsRead } from './actors.ts';
import type { MembershipDiff, WorkspaceContext } from './context.ts';
import { fallbackOf, isPlaceRemoved, isRemovedHere, newsOf, removalReasonOf } from './news.ts';
import { membershipOf, namedBy } from './select.ts';

export const NO_CHANGE: MembershipDiff = {
  message: '',
  isPlaceRemoved: false,
  removalReason: null,
  fallback: null,
  hasOtherRole: false,
};

/** Compares newly read memberships with the known ones, for the person and the open screen. */
export function membershipDiff(
  { route, memberships: before, removalCauses, user }: WorkspaceContext,
  { memberships: after, own }: MembershipsRead,
): MembershipDiff {
  const { orgUuid, projectUuid } = namedBy(route);
  const isRemoved = isPlaceRemoved(route, before, after);
  const ownChanges = { own, userUuid: user.uuid };
  const isOwn = [orgUuid, projectUuid].some((uuid) => uuid !== null && isRemovedHere(ownChanges, uuid));
  const [was, is] = [membershipOf(before, orgUuid)?.role, membershipOf(after, orgUuid)?.role];
  return {
    message: newsOf({ memberships: before, removalCauses }, { memberships: after, ...ownChanges }).join(' '),
    isPlaceRemoved: isRemoved,
    removalReason:
      isRemoved && !isOwn
        ? removalReasonOf(route, { memberships: before, removalCauses }, { memberships: after })
        : null,
    fallback: isRemoved && !isOwn ? fallbackOf(route, after) : null,
    hasOtherRole: was !== undefined && is !== undefined && was !== is,
  };
}
