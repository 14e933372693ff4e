import { invitationNotFound } from '../not-found.ts';
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { InvitationCreate } from '#contract/members.ts';
import { assignableBy, type Role } from '#contract/roles.ts';
import type { OrganizationAccess } from '../../platform/callers.ts';
import { emailKey, shownEmail } from '../../identity/accounts/emails.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { Refusal, invalidRequest, permissionDenied } from '../../platform/refusal.ts';
import { lockOrganization } from '../organizations/queries.ts';

const LIFE_MS = 7 * 24 * 3600_000;

/** An organization's open invitations: not accepted, revoked or expired. */
function openInvitations(db: Db, organizationId: string, now: Date) {
  return db
    .selectFrom('invitations')
    .leftJoin('users', 'users.id', 'invitations.invited_by')
    .select([
      'invitations.id',
      'invitations.email',
      'invitations.role',
      'invitations.project_ids',
      'users.email as invited_by',
      'invitations.created_at',
      'invitations.expires_at',
    ])
    .where('invitations.organization_id', '=', organizationId)
    .where('invitations.accepted_at', 'is', null)
    .where('invitations.revoked_at', 'is', null)
    .where('invitations.expires_at', '>', now);
}

/** An open invitation, as the members of its organization see it. */
export interface OpenInvitation {
  id: string;
  email: string;
  role: Role;
  project_ids: string[] | null;
  invited_by: string | null;
  created_at: Date;
  expires_at: Date;
}

/** An organization's open invitations, newest first. */
export async function listInvitations(db: Db, organizationId: string, now: Date): Promise<OpenInvitation[]> {
  return openInvitations(db, organizationId, now).orderBy('invitations.position', 'desc').execute();
}

/** Result of {@link invite}. */
export interface Invited {
  invitation: OpenInvitation;
  isNew: boolean;
}

/**
 * Invites somebody. If they have an open invitation, `if_pending` says whether to mail it again or to change it; its
 * link stays. @param sendMail runs in the same transaction
 * @throws Refusal permission_denied, already_member, already_invited or invitation_pending, not_found
 */
export async function invite(
  db: Db,
  act: Act,
  { organizationId, role: ownRole }: OrganizationAccess,
  wanted: InvitationCreate,
  sendMail: (transaction: Transaction<Schema>, invitation: OpenInvitation) => Promise<void>,
): Promise<Invited> {
  const { role, project_uuids, if_pending } = wanted;
  const assignable = assignableBy(ownRole);
  if (!assignable.includes(role)) throw permissionDenied();
  const email = shownEmail(wanted.email);
  const email_key = emailKey(email);
  return db.transaction().execute(async (transaction) => {
    if (!(await lockOrganization(transaction, organizationId))) throw invitationNotFound();
    const member = await transaction
      .selectFrom('memberships')
      .innerJoin('users', 'users.id', 'memberships.user_id')
      .select('users.id')
      .where('memberships.organization_id', '=', organizationId)
      .where('users.email_key', '=', email_key)
      .executeTakeFirst();
    if (member) throw new Refusal('invalid', 'already_member', 'This person is a member of the organization already.');
    const project_ids =
      role === 'member' && project_uuids !== undefined
        ? await checkProjects(transaction, organizationId, project_uuids)
        : null;
    const pending = await openInvitations(transaction, organizationId, act.at)
      .where('invitations.email_key', '=', email_key)
      .orderBy('invitations.position', 'desc')
      .executeTakeFirst();
    const expires_at = new Date(act.at.getTime() + LIFE_MS);
    const invited = async (invitation: OpenInvitation, isNew: boolean): Promise<Invited> => {
      await sendMail(transaction, invitation);
      return { invitation, isNew };
    };
    if (!pending) {
      const row = await transaction
        .insertInto('invitations')
        .values({
          id: randomUUID(),
          organization_id: organizationId,
          email,
          email_key,
          role,
          project_ids,
          invited_by: act.userId,
          created_at: act.at,
          expires_at,
        })
        .returning(['id', 'email', 'role', 'project_ids', 'created_at', 'expires_at'])
        .executeTakeFirstOrThrow();
      await recordAudit(transaction, act, {
        organizationId,
        action: 'invitation.created',
        subject: email,
        detail: role,
      });
      return invited({ ...row, invited_by: act.email }, true);
    }
    // Who may not give the pending role may not change it either. Not a 403, which ends the session (SES-06): the
    // caller cannot know of the invitation.
    if (!assignable.includes(pending.role))
      throw new Refusal(
        'invalid',
        'already_invited',
        'An owner has invited this person already, in a role that you may not give.',
      );
    if (if_pending === undefined) throw invitationPending(pending);
    if (if_pending === 'resend') {
      await transaction.updateTable('invitations').set({ expires_at }).where('id', '=', pending.id).execute();
      await recordAudit(transaction, act, {
        organizationId,
        action: 'invitation.resent',
        subject: email,
        detail: pending.role,
      });
      return invited({ ...pending, expires_at }, false);
    }
    await transaction
      .updateTable('invitations')
      .set({ role, project_ids, invited_by: act.userId, expires_at })
      .where('id', '=', pending.id)
      .execute();
    await recordAudit(transaction, act, {
      organizationId,
      action: 'invitation.changed',
      subject: email,
      detail: pending.role === role ? 'projects' : `${pending.role} → ${role}`,
    });
    return invited({ ...pending, role, project_ids, invited_by: act.email, expires_at }, false);
  });
}

const invitationPending = ({ email, role, invited_by }: OpenInvitation): Refusal =>
  new Refusal(
    'invalid',
    'invitation_pending',
    `An invitation for ${email} is pending, in the role ${role}${invited_by === null ? '' : `, from ${invited_by}`}.`,
  );

/** @throws Refusal not_found if the invitation is not open, forbidden if the caller may not give its role */
export async function revokeInvitation(
  db: Db,
  act: Act,
  { organizationId, role: ownRole }: OrganizationAccess,
  id: string,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await lockOrganization(transaction, organizationId);
    const invitation = await openInvitations(transaction, organizationId, act.at)
      .where('invitations.id', '=', id)
      .executeTakeFirst();
    if (!invitation) throw invitationNotFound();
    if (!assignableBy(ownRole).includes(invitation.role)) throw permissionDenied();
    await revoke(transaction, [id], act.at);
    await recordAudit(transaction, act, {
      organizationId,
      action: 'invitation.revoked',
      subject: invitation.email,
      detail: invitation.role,
    });
  });
}

async function revoke(transaction: Transaction<Schema>, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length > 0)
    await transaction.updateTable('invitations').set({ revoked_at: now }).where('id', 'in', ids).execute();
}

/** Removes duplicates. @throws Refusal invalid for projects that the organization does not have */
async function checkProjects(
  transaction: Transaction<Schema>,
  organizationId: string,
  wanted: readonly string[],
): Promise<string[]> {
  const projects = await transaction
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organizationId)
    .execute();
  const own = new Set(projects.map(({ id }) => id));
  const problems = wanted.flatMap((uuid, index) =>
    own.has(uuid)
      ? []
      : [
          {
            error_type: 'invalid',
            location: `body.project_uuids.${index}`,
            message: 'There is no such project in the organization.',
          },
        ],
  );
  if (problems.length > 0) throw invalidRequest(problems, 'There is no such project in the organization.');
  return [...new Set(wanted)];
}
