import * as v from 'valibot';
import { Timestamp, Uuid } from './fields.ts';

/** Actions that the audit log records. */
export const AUDIT_ACTIONS = [
  'organization.created',
  'organization.updated',
  'organization.deleted',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'invitation.created',
  'invitation.changed',
  'invitation.resent',
  'invitation.revoked',
  'project.created',
  'project.updated',
  'project.deleted',
  'project_member.added',
  'project_member.removed',
  'api_key.created',
  'api_key.revoked',
  'webhook_secret.shown',
  'webhook_secret.rolled',
  'webhook.sent_again',
  'limits.changed',
  'limit_increase.requested',
  'limit_increase.decided',
  'billing.updated',
  'payment.begun',
  'payment_method.setup_begun',
  'payment_method.changed',
  'payment_method.removed',
  'payment_error.reset',
  'receipt_links.withdrawn',
  'credit.entered',
  'correction.entered',
] as const;
export const AuditAction = v.picklist(AUDIT_ACTIONS);
export type AuditAction = v.InferOutput<typeof AuditAction>;

export const AuditEntry = v.object({
  uuid: Uuid,
  at: Timestamp,
  /** E-mail address of the user at that time; `Operator` or `Payment provider` if no user did it. */
  actor: v.string(),
  action: AuditAction,
  /** Name or e-mail address, at that time, of the thing or person that the action changed. */
  subject: v.string(),
  /** Name of the project; null if the action concerns the whole organization. */
  project: v.nullable(v.string()),
  /** The change in one line for people, such as `member → admin`; empty if the action says it all. */
  detail: v.string(),
  request_id: v.string(),
});
export type AuditEntry = v.InferOutput<typeof AuditEntry>;

/** GET /api/v2/organizations/{orgUuid}/audit/: newest first, in pages (`PageQuery`). */
export const AuditPage = v.object({ entries: v.array(AuditEntry), next_page_cursor: v.nullable(v.string()) });
export type AuditPage = v.InferOutput<typeof AuditPage>;
