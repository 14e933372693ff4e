import type { Selectable, Transaction } from 'kysely';
import type { InvitationView } from '#contract/members.ts';
import { emailKey } from '../../identity/accounts/emails.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { PeopleTables } from '../../platform/db/people-tables.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { Refusal } from '../../platform/refusal.ts';
import { lockOrganization } from '../organizations/queries.ts';
import { endWelcome } from '../organizations/welcome.ts';
import { invitationOf } from './token.ts';

type Invitation = Selectable<PeopleTables['invitations']>;

/** Names the secret that signs invitation links. */
export const INVITATION_SECRET = 'invitations';

const tokenNotFound = (): Refusal => new Refusal('not_found', 'token_not_found', 'This invitation is not valid.');
const tokenRevoked = (): Refusal =>
  new Refusal('invalid', 'token_revoked', 'This invitation was revoked. Ask for a new one.');
const tokenUsed = (): Refusal => new Refusal('invalid', 'token_used', 'This invitation has already been accepted.');
const tokenExpired = (): Refusal =>
  new Refusal('invalid', 'token_expired', 'This invitation has expired. Ask for a new one.');
const wrongUser = (email: string): Refusal =>
  new Refusal(
    'invalid',
    'wrong_user',
    `This invitation is for ${email}. Sign in with that e-mail address to accept it.`,
  );

/** Finds the open invitation of a link. @throws Refusal token_not_found, token_revoked, token_used or token_expired */
async function openInvitation({ secretFor, clock }: Services, db: Db, token: string): Promise<Invitation> {
  const id = invitationOf(secretFor.accepted(INVITATION_SECRET), token);
  const row =
    id === undefined
      ? undefined
      : await db.selectFrom('invitations').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw tokenNotFound();
  if (row.revoked_at !== null) throw tokenRevoked();
  if (row.accepted_at !== null) throw tokenUsed();
  if (row.expires_at <= clock()) throw tokenExpired();
  return row;
}

/** Reads whom a link invites, to which organization, and who invites (ACC-10). @throws like {@link openInvitation} */
export async function viewInvitation(services: Services, token: string): Promise<InvitationView> {
  const { db } = services;
  const { organization_id, email, role, invited_by } = await openInvitation(services, db, token);
  const organization = await db
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', organization_id)
    .executeTakeFirst();
  if (!organization) throw tokenNotFound();
  const inviter =
    invited_by === null
      ? undefined
      : await db.selectFrom('users').select('email').where('id', '=', invited_by).executeTakeFirst();
  return { organization, email, role, invited_by: inviter?.email ?? null };
}

/**
 * Joins the organization of a link, and uses the link up. A member keeps their role.
 * @returns the organization's id @throws like {@link openInvitation}, and Refusal wrong_user
 */
export async function acceptInvitation(services: Services, act: Act, token: string): Promise<string> {
  return services.db.transaction().execute(async (transaction) => {
    const { organization_id } = await openInvitation(services, transaction, token);
    if (!(await lockOrganization(transaction, organization_id))) throw tokenNotFound();
    // Checked again: another transaction may have used or revoked it before we got the lock.
    const invitation = await openInvitation(services, transaction, token);
    if (emailKey(act.email) !== invitation.email_key) throw wrongUser(invitation.email);
    await transaction.updateTable('invitations').set({ accepted_at: act.at }).where('id', '=', invitation.id).execute();
    const joined = await transaction
      .insertInto('memberships')
      .values({ organization_id, user_id: act.userId, role: invitation.role, created_at: act.at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('role')
      .executeTakeFirst();
    await endWelcome(transaction, act.at, { organizationId: organization_id, userId: act.userId });
    if (joined) {
      if (joined.role === 'member') await addToProjects(transaction, act, invitation);
      await recordAudit(transaction, act, {
        organizationId: organization_id,
        action: 'member.joined',
        subject: act.email,
        detail: joined.role,
      });
    }
    return organization_id;
  });
}

/** Adds the new member to the projects that the invitation names and that still exist, or to all if it names none. */
async function addToProjects(
  transaction: Transaction<Schema>,
  act: Act,
  { organization_id, project_ids }: Invitation,
): Promise<void> {
  // Locks the projects, so that none is deleted meanwhile.
  const projects = await transaction
    .selectFrom('projects')
    .select('id')
    .where('organization_id', '=', organization_id)
    .orderBy('position')
    .forKeyShare()
    .execute();
  const wanted = projects.filter(({ id }) => project_ids === null || project_ids.includes(id));
  if (wanted.length === 0) return;
  await transaction
    .insertInto('project_members')
    .values(wanted.map(({ id }) => ({ project_id: id, user_id: act.userId, created_at: act.at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
