import type { Invitation, InvitationCreate } from '#contract/members.ts';
import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** POST /organizations/{orgUuid}/invite/. */
export const sendInvitation = promisePlaceholder<Invitation, Submitted<InvitationCreate, { orgUuid: string }>>(
  'sendInvitation',
);

/** GET of the same path: the open invitations. */
export const loadInvitations = promisePlaceholder<readonly Invitation[], { orgUuid: string }>('loadInvitations');
