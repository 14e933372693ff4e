import type { Invitation, Member } from '#contract/members.ts';
import type { Role } from '#contract/roles.ts';
import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

export type People = { members: readonly Member[]; invitations: readonly Invitation[] };
/** GET /organizations/{orgUuid}/users/ and, if `withInvitations`, /invite/. */
export const loadPeople = promisePlaceholder<People, { orgUuid: string; withInvitations: boolean }>('loadPeople');

/** GET /organizations/{orgUuid}/users/{userUuid}/. */
export const loadMember = promisePlaceholder<Member, { orgUuid: string; userUuid: string }>('loadMember');

/** PUT /organizations/{orgUuid}/users/{userUuid}/. */
export const changeRole = promisePlaceholder<Member, Submitted<{ role: Role }, { orgUuid: string; userUuid: string }>>(
  'changeRole',
);

/** What the screen can remove: a member (oneself to leave) or an invitation. */
export type EntryKind = 'member' | 'invitation';
/** `revokesKeys`: whether to revoke the API keys that the member made in the organization. */
export type EntryRemoval = { orgUuid: string; kind: EntryKind; uuid: string; revokesKeys: boolean };
/** DELETE /organizations/{orgUuid}/users/{uuid}/ or /invite/{uuid}/. */
export const removeEntry = promisePlaceholder<void, EntryRemoval>('removeEntry');
