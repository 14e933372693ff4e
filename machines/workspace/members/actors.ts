import type { Invitation, Member } from '#contract/members.ts';
import type { Role } from '#contract/roles.ts';
import type { Submitted } from '../../shared/form/types.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

export type People = { members: readonly Member[]; invitations: readonly Invitation[] };
/** GET /organizations/{orgUuid}/users/ and, for those who may read them, /invite/. */
export const loadPeople = promisePlaceholder<People, { orgUuid: string; withInvitations: boolean }>('loadPeople');

/** GET /organizations/{orgUuid}/users/{userUuid}/. */
export const loadMember = promisePlaceholder<Member, { orgUuid: string; userUuid: string }>('loadMember');

/** PUT /organizations/{orgUuid}/users/{userUuid}/. */
export const changeRole = promisePlaceholder<Member, Submitted<{ role: Role }, { orgUuid: string; userUuid: string }>>(
  'changeRole',
);

/** What can be taken off the screen: a member (also oneself: that is leaving), or an invitation. */
export type EntryKind = 'member' | 'invitation';
/** `revokesKeys`: of a member, whether the API keys that they made in the organization are revoked with the removal. */
export type EntryRemoval = { orgUuid: string; kind: EntryKind; uuid: string; revokesKeys: boolean };
/** DELETE /organizations/{orgUuid}/users/{uuid}/ or /invite/{uuid}/. */
export const removeEntry = promisePlaceholder<void, EntryRemoval>('removeEntry');
