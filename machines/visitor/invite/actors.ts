import type { User } from '#contract/accounts.ts';
import type { InvitationAccepted, InvitationView } from '#contract/members.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** GET /organizations/invite/{token}/; rejects with a CallError of a dead link (linkRefusal.ts). */
export const readInvitation = promisePlaceholder<InvitationView, { token: string }>('readInvitation');

/** The signed-in user. */
export const readUser = promisePlaceholder<Pick<User, 'email'>>('readUser');

/** POST to the same path; rejects like {@link readInvitation}, or with wrong_user. */
export const acceptInvitation = promisePlaceholder<InvitationAccepted, { token: string }>('acceptInvitation');
