/** What a project's webhooks are signed with, and what has become of each (WHK). */
import * as v from 'valibot';
import { PageQuery, Timestamp, Uuid } from './fields.ts';

/** How often one is sent before it is given up. */
export const WEBHOOK_TRIES = 8;
/** How long both secrets sign after one was rolled. */
export const SECRET_OVERLAP_HOURS = 24;
/** How long what has become of a webhook is kept after its last try. */
export const DELIVERY_KEPT_DAYS = 14;
/** The most tries of one that are listed: the latest. */
export const TRIES_LISTED = 50;

export const DeliveryState = v.picklist(['waiting', 'delivered', 'failed']);
export type DeliveryState = v.InferOutput<typeof DeliveryState>;

/** Why a try came to nothing: `status` is an answer other than 2xx. */
export const TryFailure = v.picklist([
  'status',
  'not_allowed',
  'too_slow',
  'unreachable',
  'unreadable_secret',
  'interrupted',
]);
export type TryFailure = v.InferOutput<typeof TryFailure>;

/** How a try ended; all null while it is under way. */
const Ending = { status_code: v.nullable(v.number()), failure: v.nullable(TryFailure) };

/** A webhook of a transcription, with how its last try ended. */
export const WebhookDelivery = v.object({
  transcription_id: Uuid,
  /** Without query and credentials. */
  address: v.string(),
  state: DeliveryState,
  tries: v.number(),
  ...Ending,
  created_at: Timestamp,
  changed_at: Timestamp,
  /** Null while one is under way, and where there is none. */
  next_try_at: v.nullable(Timestamp),
  can_be_sent_again: v.boolean(),
});
export type WebhookDelivery = v.InferOutput<typeof WebhookDelivery>;

export const WebhookTry = v.object({
  started_at: Timestamp,
  ...Ending,
  /** Null where it was cut short. */
  duration_ms: v.nullable(v.number()),
});
export type WebhookTry = v.InferOutput<typeof WebhookTry>;

/** Query of `GET /api/v2/projects/{projectUuid}/webhooks/` */
export const DeliveriesQuery = v.object({ ...PageQuery.entries, state: v.optional(DeliveryState) });

/** GET /api/v2/projects/{projectUuid}/webhooks/ — newest first. */
export const WebhookDeliveries = v.object({
  deliveries: v.array(WebhookDelivery),
  next_page_cursor: v.nullable(v.string()),
});
export type WebhookDeliveries = v.InferOutput<typeof WebhookDeliveries>;

/** GET /api/v2/projects/{projectUuid}/webhooks/{transcriptionId}/ — its tries newest first. */
export const WebhookDetails = v.object({ delivery: WebhookDelivery, tries: v.array(WebhookTry) });
export type WebhookDetails = v.InferOutput<typeof WebhookDetails>;

/** GET /api/v2/projects/{projectUuid}/webhooks/secret/ — never the secret itself. */
export const SigningSecret = v.object({
  /** Null before it was needed. */
  created_at: v.nullable(Timestamp),
  /** It is shown once; after that, only a new one can be. */
  was_shown: v.boolean(),
  /** Until when the ones before sign, too; null where none does. */
  old_until: v.nullable(Timestamp),
});
export type SigningSecret = v.InferOutput<typeof SigningSecret>;

/** POST …/webhooks/secret/show/ and …/webhooks/secret/roll/: the only answers that ever hold the secret. */
export const ShownSecret = v.object({
  secret: v.pipe(v.string(), v.startsWith('whsec_')),
  signing_secret: SigningSecret,
});
export type ShownSecret = v.InferOutput<typeof ShownSecret>;
