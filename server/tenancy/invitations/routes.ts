import { INVITATION_CALLS } from '#contract/api/invitations.ts';
import { InvitationCreate, type Invitation } from '#contract/members.ts';
import type { Hono } from 'hono';
import { memberCalls } from '../access/guard.ts';
import { organizationNotFound } from '../not-found.ts';
import { emailKey } from '../../identity/accounts/emails.ts';
import { actOf } from '../access/act.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { countCall, type Rate } from '../../platform/rate-limit.ts';
import { readJson } from '../../http/validate.ts';
import { mayMailInvitation } from '../../identity/mail-cap.ts';
import { readOrganization } from '../organizations/queries.ts';
import { acceptInvitation, INVITATION_SECRET, viewInvitation } from './accept.ts';
import { invitationMail } from './mail.ts';
import { invite, listInvitations, revokeInvitation, type OpenInvitation } from './queries.ts';
import { signInvitation } from './token.ts';

/** Invitations by one person. `mayMailInvitation` limits the mails to one address. */
const INVITER_RATE: Rate = { burst: 30, everyMs: 30_000 };

/** Invitations of an organization, and their links (ORG-05, ACC-10). */
export function invitationRoutes(services: Services): Hono<AppEnv> {
  const { db, clock } = services;

  const shown = ({ id, email, role, project_ids, invited_by, created_at, expires_at }: OpenInvitation): Invitation => ({
    uuid: id,
    email,
    role,
    project_uuids: project_ids,
    invited_by,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
    link: `${services.publicUrl()}/invite/${signInvitation(services.secretFor(INVITATION_SECRET), id)}/`,
  });

  return memberCalls(services)
    .answer(INVITATION_CALLS.viewInvitation, ({ param }) => viewInvitation(services, param('token')))
    .answer(INVITATION_CALLS.acceptInvitation, async ({ c, param }) => ({
      organization: { uuid: await acceptInvitation(services, actOf(c, clock), param('token')) },
    }))
    .answer(INVITATION_CALLS.listInvitations, async ({ c, organization }) => {
      c.header('cache-control', 'no-store');
      return { invitations: (await listInvitations(db, organization.organizationId, clock())).map(shown) };
    })
    .respond(INVITATION_CALLS.createInvitation, async ({ c, organization: access }) => {
      const wanted = await readJson(c, InvitationCreate);
      await countCall(services, `invite by ${c.var.user.userId}`, INVITER_RATE);
      const organization = await readOrganization(db, access.organizationId);
      if (!organization) throw organizationNotFound();
      const { invitation, isNew } = await invite(db, actOf(c, clock), access, wanted, async (transaction, made) => {
        // Counts in this transaction, because a second connection would wait for it.
        const mailed = await mayMailInvitation({ db: transaction, clock }, c.var.user.userId, emailKey(made.email));
        if (!mailed) return;
        await services.mail.send(
          transaction,
          invitationMail(services, {
            to: made.email,
            organization: organization.name,
            invitedBy: made.invited_by ?? c.var.user.email,
            link: shown(made).link,
            expiresAt: made.expires_at,
          }),
        );
      });
      c.header('cache-control', 'no-store');
      return c.json(shown(invitation), isNew ? 201 : 200);
    })
    .answer(INVITATION_CALLS.revokeInvitation, ({ c, organization, param }) =>
      revokeInvitation(db, actOf(c, clock), organization, param('invitation')),
    );
}
