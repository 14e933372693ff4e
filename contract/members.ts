import * as v from 'valibot';
import { Email } from './emails.ts';
import { Timestamp, Uuid } from './fields.ts';
import { Role } from './roles.ts';

/** One person of an organization. */
export const Member = v.object({ uuid: Uuid, email: v.string(), name: v.string(), role: Role, joined_at: Timestamp });
export type Member = v.InferOutput<typeof Member>;

/** GET /api/v2/organizations/{orgUuid}/users/ — oldest first. */
export const Members = v.object({ users: v.array(Member) });
export type Members = v.InferOutput<typeof Members>;

/** PUT /api/v2/organizations/{orgUuid}/users/{userUuid}/ → Member. The last owner stays: 400 `last_owner`. */
export const MemberUpdate = v.object({ role: Role });
export type MemberUpdate = v.InferOutput<typeof MemberUpdate>;

/**
 * POST /api/v2/projects/{projectUuid}/users/ → 201 ProjectMember, also for somebody who was added before; DELETE with this
 * body (spec §7) → 204. Who is not of the organization: 404; so is, for DELETE, who was not added.
 */
export const ProjectMemberRequest = v.object({ user_uuid: Uuid });
export type ProjectMemberRequest = v.InferOutput<typeof ProjectMemberRequest>;

/** The body of that DELETE; on request the keys of the project that the person made are revoked in the same step. */
export const ProjectMemberRemoval = v.object({
  ...ProjectMemberRequest.entries,
  revoke_api_keys: v.optional(v.boolean()),
});
export type ProjectMemberRemoval = v.InferOutput<typeof ProjectMemberRemoval>;

/** Query of DELETE /api/v2/organizations/{orgUuid}/users/{userUuid}/: `true` revokes the keys of all projects that the person made, in the same step. */
export const MemberRemoval = v.object({ revoke_api_keys: v.optional(v.picklist(['true', 'false'])) });
export type MemberRemoval = v.InferOutput<typeof MemberRemoval>;

/** GET /api/v2/projects/{projectUuid}/users/ — everybody who reaches the project; `is_added` tells those whom DELETE can take out from those who reach it by role. */
export const ProjectMember = v.object({ ...Member.entries, is_added: v.boolean() });
export type ProjectMember = v.InferOutput<typeof ProjectMember>;
export const ProjectMembers = v.object({ users: v.array(ProjectMember) });
export type ProjectMembers = v.InferOutput<typeof ProjectMembers>;

/**
 * POST /api/v2/organizations/{orgUuid}/invite/ → 201 Invitation. Somebody who is a member already: 400 `already_member`;
 * who is invited already in a role that the caller may not give: 400 `already_invited`. Where an invitation is open already, it
 * takes `if_pending`: 400 `invitation_pending` without, else 200 Invitation, the same one under the same link.
 */
export const InvitationCreate = v.object({
  email: Email,
  role: Role,
  /** The projects that one who joins as a member is added to; left out: all there are when they join. */
  project_uuids: v.optional(v.array(Uuid)),
  /** What becomes of an open invitation: `resend` mails it again as it is, `change` gives it this role and these projects first. Either way it is good for another seven days. */
  if_pending: v.optional(v.picklist(['resend', 'change'])),
});
export type InvitationCreate = v.InferOutput<typeof InvitationCreate>;

export const Invitation = v.object({
  uuid: Uuid,
  email: v.string(),
  role: Role,
  /** Those that one who joins as a member is added to; null: all there are then. */
  project_uuids: v.nullable(v.array(Uuid)),
  /** E-mail of who invited; null once that account is gone. */
  invited_by: v.nullable(v.string()),
  created_at: Timestamp,
  expires_at: Timestamp,
  /** The address to accept at, for copying. */
  link: v.pipe(v.string(), v.url()),
});
export type Invitation = v.InferOutput<typeof Invitation>;

/** GET /api/v2/organizations/{orgUuid}/invite/ — those that are open, newest first. */
export const Invitations = v.object({ invitations: v.array(Invitation) });
export type Invitations = v.InferOutput<typeof Invitations>;

/**
 * GET /api/v2/organizations/invite/{token}/: whom an invitation is for; anyone who has the link may read it.
 * Used 400 `token_used`, expired 400 `token_expired`, unknown or revoked 404 `token_not_found`.
 */
export const InvitationView = v.object({
  organization: v.object({ name: v.string() }),
  email: v.string(),
  role: Role,
  invited_by: v.nullable(v.string()),
});
export type InvitationView = v.InferOutput<typeof InvitationView>;

/** POST /api/v2/organizations/invite/{token}/, signed in. For somebody else's e-mail: 400 `wrong_user`. */
export const InvitationAccepted = v.object({ organization: v.object({ uuid: Uuid }) });
export type InvitationAccepted = v.InferOutput<typeof InvitationAccepted>;
