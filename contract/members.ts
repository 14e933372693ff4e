import * as v from 'valibot';
import { Email } from './emails.ts';
import { Timestamp, Uuid } from './fields.ts';
import { Role } from './roles.ts';

/** One person of an organization. */
export const Member = v.object({ uuid: Uuid, email: v.string(), name: v.string(), role: Role, joined_at: Timestamp });
export type Member = v.InferOutput<typeof Member>;

/** GET /api/v2/organizations/{orgUuid}/users/: oldest first. */
export const Members = v.object({ users: v.array(Member) });
export type Members = v.InferOutput<typeof Members>;

/** PUT /api/v2/organizations/{orgUuid}/users/{userUuid}/ → Member. 400 `last_owner` if no owner would be left. */
export const MemberUpdate = v.object({ role: Role });
export type MemberUpdate = v.InferOutput<typeof MemberUpdate>;

/**
 * POST /api/v2/projects/{projectUuid}/users/ → 201 ProjectMember, also for a person added before. DELETE with this
 * body → 204. 404 if the person is not in the organization, and on DELETE if nobody had added them.
 */
export const ProjectMemberRequest = v.object({ user_uuid: Uuid });
export type ProjectMemberRequest = v.InferOutput<typeof ProjectMemberRequest>;

/** Body of that DELETE. `revoke_api_keys` also revokes the keys that the person made in the project. */
export const ProjectMemberRemoval = v.object({
  ...ProjectMemberRequest.entries,
  revoke_api_keys: v.optional(v.boolean()),
});
export type ProjectMemberRemoval = v.InferOutput<typeof ProjectMemberRemoval>;

/** Query of DELETE /api/v2/organizations/{orgUuid}/users/{userUuid}/. `true` also revokes all keys of the person. */
export const MemberRemoval = v.object({ revoke_api_keys: v.optional(v.picklist(['true', 'false'])) });
export type MemberRemoval = v.InferOutput<typeof MemberRemoval>;

/** GET /api/v2/projects/{projectUuid}/users/: all who have access. `is_added`: by addition, which DELETE undoes. */
export const ProjectMember = v.object({ ...Member.entries, is_added: v.boolean() });
export type ProjectMember = v.InferOutput<typeof ProjectMember>;
export const ProjectMembers = v.object({ users: v.array(ProjectMember) });
export type ProjectMembers = v.InferOutput<typeof ProjectMembers>;

/**
 * POST /api/v2/organizations/{orgUuid}/invite/ → 201 Invitation. 400 `already_member`; 400 `already_invited` if the
 * open invitation has a role that the caller may not give. If an invitation is open: without `if_pending` 400
 * `invitation_pending`, with it 200 and the same invitation with the same link.
 */
export const InvitationCreate = v.object({
  email: Email,
  role: Role,
  /** Projects to which a new `member` is added; without it, all that exist when they join. */
  project_uuids: v.optional(v.array(Uuid)),
  /** `resend` mails an open invitation again, `change` first gives it this role and these projects. Adds seven days. */
  if_pending: v.optional(v.picklist(['resend', 'change'])),
});
export type InvitationCreate = v.InferOutput<typeof InvitationCreate>;

export const Invitation = v.object({
  uuid: Uuid,
  email: v.string(),
  role: Role,
  /** Projects to which a new `member` is added; null for all that exist when they join. */
  project_uuids: v.nullable(v.array(Uuid)),
  /** E-mail address of the inviter; null once that account is deleted. */
  invited_by: v.nullable(v.string()),
  created_at: Timestamp,
  expires_at: Timestamp,
  /** The address at which to accept, for copying. */
  link: v.pipe(v.string(), v.url()),
});
export type Invitation = v.InferOutput<typeof Invitation>;

/** GET /api/v2/organizations/{orgUuid}/invite/: open invitations, newest first. */
export const Invitations = v.object({ invitations: v.array(Invitation) });
export type Invitations = v.InferOutput<typeof Invitations>;

/**
 * GET /api/v2/organizations/invite/{token}/: an invitation, for anyone who has its link. 400 `token_used`,
 * `token_expired` or `token_revoked`; 404 `token_not_found` if unknown.
 */
export const InvitationView = v.object({
  organization: v.object({ name: v.string() }),
  email: v.string(),
  role: Role,
  invited_by: v.nullable(v.string()),
});
export type InvitationView = v.InferOutput<typeof InvitationView>;

/** POST /api/v2/organizations/invite/{token}/, signed in. 400 `wrong_user` if it is for another e-mail address. */
export const InvitationAccepted = v.object({ organization: v.object({ uuid: Uuid }) });
export type InvitationAccepted = v.InferOutput<typeof InvitationAccepted>;
