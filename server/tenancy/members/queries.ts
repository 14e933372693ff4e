import { memberNotFound } from '../not-found.ts';
import type { Member } from '#contract/members.ts';
import { assignableBy, may, type Role } from '#contract/roles.ts';
import { announceAccessEnded } from '../access/ended.ts';
import { revokeMemberKeys } from '../api-keys/queries.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import type { Db } from '../../platform/db/database.ts';
import { Refusal, permissionDenied } from '../../platform/refusal.ts';
import { lockOrganization } from '../organizations/queries.ts';
import { endWelcome } from '../organizations/welcome.ts';

const lastOwner = (): Refusal =>
  new Refusal('invalid', 'last_owner', 'An organization needs an owner. Make somebody else an owner first.');

/** A query for the members of an organization, by the time that they joined. */
export function membersOf(db: Db, organizationId: string) {
  return db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select([
      'users.id as uuid',
      'users.email',
      'users.name',
      'memberships.role',
      'memberships.created_at as joined_at',
    ])
    .where('memberships.organization_id', '=', organizationId)
    .orderBy('memberships.created_at')
    .orderBy('users.email_key');
}

type Row = Omit<Member, 'joined_at'> & { joined_at: Date };
export const toMember = ({ uuid, email, name, role, joined_at }: Row): Member => ({
  uuid,
  email,
  name,
  role,
  joined_at: joined_at.toISOString(),
});

export async function listMembers(db: Db, organizationId: string): Promise<Member[]> {
  return (await membersOf(db, organizationId).execute()).map(toMember);
}

export async function findMember(db: Db, organizationId: string, userId: string): Promise<Member | undefined> {
  const row = await membersOf(db, organizationId).where('memberships.user_id', '=', userId).executeTakeFirst();
  return row && toMember(row);
}

/**
 * Gives a member another role. Locks the organization, then checks both roles again, so that two owners cannot demote
 * each other. @throws Refusal not_found, permission_denied, last_owner
 */
export async function changeRole(
  db: Db,
  act: Act,
  organizationId: string,
  userId: string,
  role: Role,
): Promise<Member> {
  return db.transaction().execute(async (transaction) => {
    const { actor, member } = await lockPair(transaction, organizationId, act.userId, userId);
    const assignable = assignableBy(actor.role);
    if (!assignable.includes(member.role) || !assignable.includes(role)) throw permissionDenied();
    if (member.role === role) return member;
    if (member.role === 'owner') await keepOwner(transaction, organizationId);
    await transaction
      .updateTable('memberships')
      .set({ role })
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .execute();
    await recordAudit(transaction, act, {
      organizationId,
      action: 'member.role_changed',
      subject: member.email,
      detail: `${member.role} → ${role}`,
    });
    await announceAccessEnded(transaction);
    return { ...member, role };
  });
}

/**
 * Removes a member from an organization and its projects. Everybody may remove themselves. What the member made stays;
 * `revokesKeys` revokes their API keys.
 * @throws like {@link changeRole}
 */
export async function removeMember(
  db: Db,
  act: Act,
  { organizationId, userId, revokesKeys }: { organizationId: string; userId: string; revokesKeys: boolean },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const { actor, member } = await lockPair(transaction, organizationId, act.userId, userId);
    const leaves = act.userId === userId;
    if (!leaves && !(may(actor.role, 'members.manage') && assignableBy(actor.role).includes(member.role)))
      throw permissionDenied();
    if (member.role === 'owner') await keepOwner(transaction, organizationId);
    await endWelcome(transaction, act.at, { organizationId, userId });
    // The membership first: adding somebody to a project, or making a key, locks it. So no row of either comes after.
    await transaction
      .deleteFrom('memberships')
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .execute();
    await transaction
      .deleteFrom('project_members')
      .where('user_id', '=', userId)
      .where('project_id', 'in', (query) =>
        query.selectFrom('projects').select('id').where('organization_id', '=', organizationId),
      )
      .execute();
    if (revokesKeys) await revokeMemberKeys(transaction, act, { userId, organizationId });
    await recordAudit(transaction, act, {
      organizationId,
      action: 'member.removed',
      subject: member.email,
      detail: leaves ? `${member.role}, left` : member.role,
    });
    await announceAccessEnded(transaction);
  });
}

/** Locks the organization, and reads the acting member and the one acted on. @throws Refusal not_found */
async function lockPair(
  transaction: Parameters<typeof lockOrganization>[0],
  organizationId: string,
  actorId: string,
  userId: string,
): Promise<{ actor: Member; member: Member }> {
  await lockOrganization(transaction, organizationId);
  const [actor, member] = [
    await findMember(transaction, organizationId, actorId),
    await findMember(transaction, organizationId, userId),
  ];
  if (!actor || !member) throw memberNotFound();
  return { actor, member };
}

/** @throws Refusal last_owner if there is only one owner */
async function keepOwner(transaction: Db, organizationId: string): Promise<void> {
  const { owners } = await transaction
    .selectFrom('memberships')
    .select((eb) => eb.fn.countAll().as('owners'))
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .executeTakeFirstOrThrow();
  if (Number(owners) <= 1) throw lastOwner();
}
