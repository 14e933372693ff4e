import type { Invitation, InvitationCreate } from '#contract/members.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** What the form sends. */
export type InvitationRequest = { orgUuid: string; invitation: InvitationCreate };
/** POST /organizations/{orgUuid}/invite/. */
export const sendInvitation = promisePlaceholder<Invitation, { values: InvitationRequest }>('sendInvitation');

/** GET of the same address: those that are open. */
export const loadInvitations = promisePlaceholder<readonly Invitation[], { orgUuid: string }>('loadInvitations');
