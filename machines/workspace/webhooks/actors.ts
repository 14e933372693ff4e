import type { DeliveryState, WebhookDelivery } from '#contract/webhooks.ts';
import type { ListPage } from '../../shared/pagedList/actors.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** A delivery with its transcription's id as `id`, which lists need. */
export type WebhookItem = WebhookDelivery & { id: string };

/** At most `limit` rows from the beginning of the list; `state` undefined for all. */
export type BeginningRequest = { projectUuid: string; state: DeliveryState | undefined; limit: number };

/** GET …/webhooks/ */
export const loadBeginning = promisePlaceholder<ListPage<WebhookItem>, BeginningRequest>('loadBeginning');
