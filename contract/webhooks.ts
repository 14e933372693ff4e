/** The signing secret of a project's webhooks, and their deliveries (WHK). */
import * as v from 'valibot';
import { PageQuery, Timestamp, Uuid } from './fields.ts';

/** Tries before the server gives a webhook up. */
export const WEBHOOK_TRIES = 8;
/** How long the old secret signs as well after a new one was rolled. */
export const SECRET_OVERLAP_HOURS = 24;
/** How long a delivery stays after its last try. */
export const DELIVERY_KEPT_DAYS = 14;
/** The largest number of tries listed for one delivery: the latest. */
export const TRIES_LISTED = 50;

export const DeliveryState = v.picklist(['waiting', 'delivered', 'failed']);
export type DeliveryState = v.InferOutput<typeof DeliveryState>;

/** Why a try failed. `status`: the answer was not 2xx. */
export const TryFailure = v.picklist([
  'status',
  'not_allowed',
  'too_slow',
  'unreachable',
  'unreadable_secret',
  'interrupted',
]);
export type TryFailure = v.InferOutput<typeof TryFailure>;

/** How a try ended; both null while it runs. */
const Ending = { status_code: v.nullable(v.number()), failure: v.nullable(TryFailure) };

/** A transcription's webhook, with the end of its last try. */
export const WebhookDelivery = v.object({
  transcription_id: Uuid,
  /** Without query and credentials. */
  address: v.string(),
  state: DeliveryState,
  tries: v.number(),
  ...Ending,
  created_at: Timestamp,
  changed_at: Timestamp,
  /** Null while a try runs, and if no other follows. */
  next_try_at: v.nullable(Timestamp),
  can_be_sent_again: v.boolean(),
});
export type WebhookDelivery = v.InferOutput<typeof WebhookDelivery>;

export const WebhookTry = v.object({
  started_at: Timestamp,
  ...Ending,
  /** Null while it runs, and if it was interrupted. */
  duration_ms: v.nullable(v.number()),
});
export type WebhookTry = v.InferOutput<typeof WebhookTry>;

/** Query of `GET /api/v2/projects/{projectUuid}/webhooks/` */
export const DeliveriesQuery = v.object({ ...PageQuery.entries, state: v.optional(DeliveryState) });

/** GET /api/v2/projects/{projectUuid}/webhooks/: newest first. */
export const WebhookDeliveries = v.object({
  deliveries: v.array(WebhookDelivery),
  next_page_cursor: v.nullable(v.string()),
});
export type WebhookDeliveries = v.InferOutput<typeof WebhookDeliveries>;

/** GET /api/v2/projects/{projectUuid}/webhooks/{transcriptionId}/: tries newest first. */
export const WebhookDetails = v.object({ delivery: WebhookDelivery, tries: v.array(WebhookTry) });
export type WebhookDetails = v.InferOutput<typeof WebhookDetails>;

/** GET /api/v2/projects/{projectUuid}/webhooks/secret/: the state of the secret, not the secret. */
export const SigningSecret = v.object({
  /** Null until the first webhook or view needs a secret. */
  created_at: v.nullable(Timestamp),
  /** A secret is shown only once. */
  was_shown: v.boolean(),
  /** Until when older secrets sign as well; null if none does. */
  old_until: v.nullable(Timestamp),
});
export type SigningSecret = v.InferOutput<typeof SigningSecret>;

/** POST …/webhooks/secret/show/ and …/webhooks/secret/roll/: the only answers that contain the secret. */
export const ShownSecret = v.object({
  secret: v.pipe(v.string(), v.startsWith('whsec_')),
  signing_secret: SigningSecret,
});
export type ShownSecret = v.InferOutput<typeof ShownSecret>;
