// What the person may do to whom, by the table of roles (ORG-05, ORG-08).
import type { Invitation, Member } from '#contract/members.ts';
import { assignableBy, may, type Role } from '#contract/roles.ts';
import type { EntryKind } from './actors.ts';

export type Known = {
  /** Of the person whose screen it is. */
  userUuid: string;
  role: Role;
  members: readonly Member[];
  invitations: readonly Invitation[];
};

/** Somebody has to stay who can do everything. */
const isLastOwner = ({ members }: Known, { uuid, role }: Member): boolean =>
  role === 'owner' && !members.some((other) => other.role === 'owner' && other.uuid !== uuid);

/** The roles that this member can get from the person, their own among them; none where the role cannot be changed. */
export const rolesFor = (known: Known, member: Member): readonly Role[] => {
  const roles = assignableBy(known.role);
  return roles.includes(member.role) && !isLastOwner(known, member) ? roles : [];
};

/** Whether the person may take this member out; oneself leaves instead. */
export const isRemovable = (known: Known, member: Member): boolean =>
  member.uuid !== known.userUuid && assignableBy(known.role).includes(member.role);

/** Whether the person can go: the last owner cannot. */
export const canLeave = (known: Known): boolean => {
  const self = known.members.find(({ uuid }) => uuid === known.userUuid);
  return self !== undefined && !isLastOwner(known, self);
};

/** Whether the person sees and revokes invitations. */
export const seesInvitations = ({ role }: Pick<Known, 'role'>): boolean => may(role, 'invitations.manage');

/** Whether the person may take an invitation back: one to a role that they could have given. */
export const isRevocable = ({ role }: Pick<Known, 'role'>, invitation: Invitation): boolean =>
  assignableBy(role).includes(invitation.role);

/** Whether an entry may be removed by the person. */
export function mayRemove(known: Known, { kind, uuid }: { kind: EntryKind; uuid: string }): boolean {
  if (kind === 'invitation')
    return known.invitations.some((invitation) => invitation.uuid === uuid && isRevocable(known, invitation));
  if (uuid === known.userUuid) return canLeave(known);
  return known.members.some((member) => member.uuid === uuid && isRemovable(known, member));
}
