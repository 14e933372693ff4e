/** Events that tell a signed-in person's pages what has changed: ids only, the pages read the rest from the API. */
import * as v from 'valibot';
import { Uuid } from './fields.ts';

/** True if the page that reads the stream made the change. */
const own = v.optional(v.literal(true));
const organization = { organization_uuid: Uuid, own };
const project = { organization_uuid: Uuid, project_uuid: Uuid, own };
const transcription = { project_uuid: Uuid, transcription_id: Uuid, own };
const file = { project_uuid: Uuid, file_id: Uuid, own };

/** The page may have missed events, as before the stream was opened: it reads everything on show again. */
const Resync = v.object({ type: v.literal('resync') });
/** The session has ended, here or elsewhere, perhaps because its account was deleted. The stream closes. */
const SessionEnded = v.object({
  type: v.literal('session.ended'),
  reason: v.optional(v.literal('account_deleted')),
});
/** The person joined or created an organization, has another role in it, or has left it. */
const MembershipEvent = v.object({
  type: v.picklist(['membership.added', 'membership.changed', 'membership.removed']),
  ...organization,
});
/** In an organization of the person, somebody else joined, has another role, or has left. */
const MembersEvent = v.object({ type: v.literal('members.changed'), ...organization });
/** An organization has another name or contact, or was deleted. */
const OrganizationEvent = v.object({
  type: v.picklist(['organization.changed', 'organization.deleted']),
  ...organization,
});
/** A project that the person sees was created, changed or deleted; or the person was added to it or removed from it. */
const ProjectEvent = v.object({
  type: v.picklist([
    'project.created',
    'project.changed',
    'project.deleted',
    'project_member.added',
    'project_member.removed',
  ]),
  ...project,
});
/** In a project in which the person may use the playground. */
const TranscriptionEvent = v.object({
  type: v.picklist(['transcription.created', 'transcription.changed', 'transcription.deleted']),
  ...transcription,
});
const FileEvent = v.object({ type: v.picklist(['file.created', 'file.deleted']), ...file });

/** The person may pay for the organization: its balance, or how it pays, has changed. */
const BillingEvent = v.object({ type: v.literal('billing.changed'), ...organization });

/** In an organization of the person or one of its projects, a limit was set, granted or asked for. */
const LimitsEvent = v.object({ type: v.literal('limits.changed'), ...organization });

/** In a project that the person sees, requests have ended and are in its logs. */
const LogEvent = v.object({ type: v.literal('log.added'), project_uuid: Uuid, own });

/** In a project that the person sees, a webhook was sent or will be. */
const WebhookEvent = v.object({ type: v.literal('webhook.changed'), project_uuid: Uuid, own });

/** One event of `GET /api/v2/events/`. */
export const ConsoleEvent = v.variant('type', [
  Resync,
  SessionEnded,
  MembershipEvent,
  MembersEvent,
  OrganizationEvent,
  ProjectEvent,
  TranscriptionEvent,
  FileEvent,
  BillingEvent,
  LimitsEvent,
  LogEvent,
  WebhookEvent,
]);
export type ConsoleEvent = v.InferOutput<typeof ConsoleEvent>;
/** An event about a change. */
export type ChangeEvent = Exclude<ConsoleEvent, { type: 'resync' | 'session.ended' }>;

/** The largest number of streams of one person at a time in one server process. */
export const EVENT_STREAMS_MAX = 20;
/** The server sends a comment after this long without an event, milliseconds. */
export const EVENT_HEARTBEAT_MS = 15_000;
