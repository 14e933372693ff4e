// What the person may do to other members and invitations, by `contract/roles.ts` (ORG-05, ORG-08).
import type { Invitation, Member } from '#contract/members.ts';
import { assignableBy, may, type Role } from '#contract/roles.ts';
import type { EntryKind } from './actors.ts';

export type Known = {
  /** The person at the screen. */
  userUuid: string;
  role: Role;
  members: readonly Member[];
  invitations: readonly Invitation[];
};

/** An organization must keep an owner. */
const isLastOwner = ({ members }: Known, { uuid, role }: Member): boolean =>
  role === 'owner' && !members.some((other) => other.role === 'owner' && other.uuid !== uuid);

/** Roles that the person may give this member, including the present one; none if they may not change it. */
export const rolesFor = (known: Known, member: Member): readonly Role[] => {
  const roles = assignableBy(known.role);
  return roles.includes(member.role) && !isLastOwner(known, member) ? roles : [];
};

/** Whether the person may remove this member; false for oneself. */
export const isRemovable = (known: Known, member: Member): boolean =>
  member.uuid !== known.userUuid && assignableBy(known.role).includes(member.role);

/** Whether the person may leave; the last owner may not. */
export const canLeave = (known: Known): boolean => {
  const self = known.members.find(({ uuid }) => uuid === known.userUuid);
  return self !== undefined && !isLastOwner(known, self);
};

/** Whether the person may see invitations. */
export const seesInvitations = ({ role }: Pick<Known, 'role'>): boolean => may(role, 'invitations.manage');

/** Whether the person may revoke an invitation, which needs the right to give its role. */
export const isRevocable = ({ role }: Pick<Known, 'role'>, invitation: Invitation): boolean =>
  assignableBy(role).includes(invitation.role);

/** Whether the person may remove an entry. */
export function mayRemove(known: Known, { kind, uuid }: { kind: EntryKind; uuid: string }): boolean {
  if (kind === 'invitation')
    return known.invitations.some((invitation) => invitation.uuid === uuid && isRevocable(known, invitation));
  if (uuid === known.userUuid) return canLeave(known);
  return known.members.some((member) => member.uuid === uuid && isRemovable(known, member));
}
