import * as v from 'valibot';
import { Uuid } from '#contract/fields.ts';
import { PageId } from '#contract/session.ts';

/** Database channel on which the triggers of migrations 0010, 0015, 0018, 0021, 0032, 0035 and 0061 announce changes. */
export const EVENTS_CHANNEL = 'console_events';

const organization = { organization_uuid: Uuid };
const project = { organization_uuid: Uuid, project_uuid: Uuid };

/** A change as the database announces it: an event of the contract, with the user or session that it is about. */
export const Notice = v.variant('type', [
  v.object({
    type: v.picklist(['membership.added', 'membership.changed', 'membership.removed', 'organization.deleted']),
    ...organization,
    user: Uuid,
  }),
  v.object({ type: v.picklist(['organization.changed', 'billing.changed', 'limits.changed']), ...organization }),
  v.object({ type: v.picklist(['project.created', 'project.changed', 'project.deleted']), ...project }),
  v.object({ type: v.picklist(['project_member.added', 'project_member.removed']), ...project, user: Uuid }),
  v.object({
    type: v.picklist(['transcription.created', 'transcription.changed', 'transcription.deleted']),
    project_uuid: Uuid,
    transcription_id: Uuid,
  }),
  v.object({ type: v.picklist(['file.created', 'file.deleted']), project_uuid: Uuid, file_id: Uuid }),
  v.object({ type: v.picklist(['log.added', 'webhook.changed']), project_uuid: Uuid }),
  v.object({
    type: v.literal('session.ended'),
    session: Uuid,
    reason: v.optional(v.literal('account_deleted')),
  }),
]);
export type Notice = v.InferOutput<typeof Notice>;

/** A notice with the page that made the change, if the console did. No other page may learn it. */
export const NoticeOfPage = v.intersect([Notice, v.object({ page: v.fallback(v.optional(PageId), undefined) })]);
