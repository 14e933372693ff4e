import type { MembershipsRead } from './actors.ts';
import type { MembershipDiff, WorkspaceContext } from './context.ts';
import { fallbackOf, isPlaceRemoved, isRemovedByPage, newsOf, removalReasonOf } from './news.ts';
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
  { route, memberships: before, heard }: Pick<WorkspaceContext, 'route' | 'memberships' | 'heard'>,
  { memberships: after }: MembershipsRead,
): MembershipDiff {
  const { orgUuid, projectUuid } = namedBy(route);
  const isRemoved = isPlaceRemoved(route, before, after);
  const gone = membershipOf(after, orgUuid) ? projectUuid : orgUuid;
  const isOwnRemoval = gone !== null && isRemovedByPage(heard, gone);
  const [roleBefore, roleAfter] = [membershipOf(before, orgUuid)?.role, membershipOf(after, orgUuid)?.role];
  return {
    message: newsOf(before, after, heard).join(' '),
    isPlaceRemoved: isRemoved,
    removalReason: isRemoved && !isOwnRemoval ? removalReasonOf(route, before, after, heard) : null,
    fallback: isRemoved && !isOwnRemoval ? fallbackOf(route, after) : null,
    hasRoleChanged: roleBefore !== undefined && roleAfter !== undefined && roleBefore !== roleAfter,
  };
}
