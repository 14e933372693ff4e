import type { MembershipsRead } from './actors.ts';
import type { MembershipDiff, WorkspaceContext } from './context.ts';
import { fallbackOf, isPlaceRemoved, isRemovedByThisPage, newsOf, removalReasonOf } from './news.ts';
import { membershipOf, namedBy } from './select.ts';

export const NO_CHANGE: MembershipDiff = {
  message: '',
  isPlaceRemoved: false,
  removalReason: null,
  fallback: null,
  hasRoleChanged: false,
};

/** Compares newly read memberships with the known ones, as a message to the person and consequences for the open screen. */
export function membershipDiff(
  { route, memberships: before, removalCauses, user }: WorkspaceContext,
  { memberships: after, own }: MembershipsRead,
): MembershipDiff {
  const { orgUuid, projectUuid } = namedBy(route);
  const isRemoved = isPlaceRemoved(route, before, after);
  const ownChanges = { own, userUuid: user.uuid };
  const isOwnRemoval = [orgUuid, projectUuid].some((uuid) => uuid !== null && isRemovedByThisPage(ownChanges, uuid));
  const [roleBefore, roleAfter] = [membershipOf(before, orgUuid)?.role, membershipOf(after, orgUuid)?.role];
  return {
    message: newsOf({ memberships: before, removalCauses }, { memberships: after, ...ownChanges }).join(' '),
    isPlaceRemoved: isRemoved,
    removalReason:
      isRemoved && !isOwnRemoval
        ? removalReasonOf(route, { memberships: before, removalCauses }, { memberships: after })
        : null,
    fallback: isRemoved && !isOwnRemoval ? fallbackOf(route, after) : null,
    hasRoleChanged: roleBefore !== undefined && roleAfter !== undefined && roleBefore !== roleAfter,
  };
}
