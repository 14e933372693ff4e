/** What the stream of changes tells the pages of a signed-in person: ids only; what has become of them is read where they live. */
import * as v from 'valibot';
import { Uuid } from './fields.ts';

const organization = { organization_uuid: Uuid };
const project = { organization_uuid: Uuid, project_uuid: Uuid };
const transcription = { project_uuid: Uuid, transcription_id: Uuid };
const file = { project_uuid: Uuid, file_id: Uuid };

/** Events may have been missed, as before the stream was opened: everything that is on show is to be read again. */
const Resync = v.object({ type: v.literal('resync') });
/** The session has been ended, here or elsewhere, maybe with its account. The stream closes. */
const SessionEnded = v.object({
  type: v.literal('session.ended'),
  reason: v.optional(v.literal('account_deleted')),
});
/** The person joined or made an organization, has another role there, or is no longer one of its members. */
const MembershipEvent = v.object({
  type: v.picklist(['membership.added', 'membership.changed', 'membership.removed']),
  ...organization,
});
/** Of an organization of the person: somebody else joined, has another role, or is no longer one of its members. */
const MembersEvent = v.object({ type: v.literal('members.changed'), ...organization });
/** An organization has another name or contact, or was deleted. */
const OrganizationEvent = v.object({
  type: v.picklist(['organization.changed', 'organization.deleted']),
  ...organization,
});
/** A project that the person sees was created, changed or deleted; or they were added to it, or taken out. */
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

/** Of an organization for which the person may pay: money came or went, or how it pays has changed. */
const BillingEvent = v.object({ type: v.literal('billing.changed'), ...organization });

/** In an organization of the person, or in one of its projects: a limit was set or granted, or a higher one asked for. */
const LimitsEvent = v.object({ type: v.literal('limits.changed'), ...organization });

/** In a project that the person sees: requests ended, and have their place in its logs. */
const LogEvent = v.object({ type: v.literal('log.added'), project_uuid: Uuid });

/** In a project that the person sees: a webhook was sent, or is to be. */
const WebhookEvent = v.object({ type: v.literal('webhook.changed'), project_uuid: Uuid });

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

/** Streams of one person at a time, in one process of the server. */
export const EVENT_STREAMS_MAX = 20;
/** Longest silence of a stream, milliseconds: a comment is sent then. */
export const EVENT_HEARTBEAT_MS = 15_000;
