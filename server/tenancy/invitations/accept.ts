import type { Selectable, Transaction } from 'kysely';
import type { InvitationView } from '#contract/members.ts';
import { emailKey } from '../../identity/accounts/emails.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { PeopleTables } from '../../platform/db/people-tables.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { ApiProblem } from '../../http/errors.ts';
import { lockOrganization } from '../organizations/queries.ts';
import { invitationOf } from './token.ts';

type Invitation = Selectable<PeopleTables['invitations']>;

/** Purpose of the key that signs the links. */
export const INVITATION_SECRET = 'invitations';

const tokenNotFound = (): ApiProblem =>
  new ApiProblem(404, 'token_not_found', 'This invitation is not valid. It may have been taken back.');
const tokenUsed = (): ApiProblem => new ApiProblem(400, 'token_used', 'This invitation has already been accepted.');
const tokenExpired = (): ApiProblem =>
  new ApiProblem(400, 'token_expired', 'This invitation has expired. Ask for a new one.');
const wrongUser = (email: string): ApiProblem =>
  new ApiProblem(400, 'wrong_user', `This invitation is for ${email}. Sign in with that e-mail address to accept it.`);

/** The invitation behind a link, if it is open. @throws ApiProblem 404 token_not_found, 400 token_used or token_expired */
async function openInvitation({ secretFor, clock }: Services, db: Db, token: string): Promise<Invitation> {
  const id = invitationOf(secretFor.accepted(INVITATION_SECRET), token);
  const row =
    id === undefined
      ? undefined
      : await db.selectFrom('invitations').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row || row.revoked_at !== null) throw tokenNotFound();
  if (row.accepted_at !== null) throw tokenUsed();
  if (row.expires_at <= clock()) throw tokenExpired();
  return row;
}

/** ACC-10: whom a link invites, where to, and who did. @throws like {@link openInvitation} */
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
 * Joins the organization of a link; a member already stays what they are. The link is used up. Returns the organization's id.
 * @throws like {@link openInvitation}, and ApiProblem 400 wrong_user
 */
export async function acceptInvitation(services: Services, act: Act, token: string): Promise<string> {
  return services.db.transaction().execute(async (transaction) => {
    const { organization_id } = await openInvitation(services, transaction, token);
    if (!(await lockOrganization(transaction, organization_id))) throw tokenNotFound();
    // Once more: whoever held the lock may have used or revoked it.
    const invitation = await openInvitation(services, transaction, token);
    if (emailKey(act.email) !== invitation.email_key) throw wrongUser(invitation.email);
    await transaction.updateTable('invitations').set({ accepted_at: act.at }).where('id', '=', invitation.id).execute();
    const joined = await transaction
      .insertInto('memberships')
      .values({ organization_id, user_id: act.userId, role: invitation.role, created_at: act.at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('role')
      .executeTakeFirst();
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

/** To those that the invitation names and that are still there, or to all. */
async function addToProjects(
  transaction: Transaction<Schema>,
  act: Act,
  { organization_id, project_ids }: Invitation,
): Promise<void> {
  // None of them may be deleted before this is through.
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
