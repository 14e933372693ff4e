import type { DeliveryState, WebhookDelivery } from '#contract/webhooks.ts';
import type { ListPage } from '../../shared/pagedList/actors.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** A delivery under the name that lists go by: its transcription's id. */
export type WebhookItem = WebhookDelivery & { id: string };

/** The beginning of the list, so many rows of it at most; `state` undefined asks for all. */
export type BeginningRequest = { projectUuid: string; state: DeliveryState | undefined; limit: number };

/** GET …/webhooks/ */
export const loadBeginning = promisePlaceholder<ListPage<WebhookItem>, BeginningRequest>('loadBeginning');
