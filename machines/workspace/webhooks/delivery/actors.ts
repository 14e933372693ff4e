import type { WebhookDelivery, WebhookDetails } from '#contract/webhooks.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

export type DeliveryOf = { projectUuid: string; id: string };

/** GET …/webhooks/{transcription}/ */
export const loadDelivery = promisePlaceholder<WebhookDetails, DeliveryOf>('loadDelivery');
/** POST …/webhooks/{transcription}/send-again/ */
export const sendAgain = promisePlaceholder<WebhookDelivery, DeliveryOf>('sendAgain');
