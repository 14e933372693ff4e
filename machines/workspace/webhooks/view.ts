/** What an address of the webhooks asks for, and what of that there is. */
import * as v from 'valibot';
import { Uuid } from '#contract/fields.ts';
import { DeliveryState } from '#contract/webhooks.ts';
import type { Route, WebhooksRoute, WebhooksView } from '../../shared/route.ts';

/** What of an address there is. */
type Shown = { state?: DeliveryState; webhook?: string };

export const isWebhooks = (route: Route): route is WebhooksRoute => route.screen === 'webhooks';

/** Of an address, only what it may tell. */
export const viewOf = ({ state, webhook }: WebhooksView): WebhooksView => ({
  ...(state !== undefined && { state }),
  ...(webhook !== undefined && { webhook }),
});

/** What an address asks for as far as there is such a thing; the rest counts for nothing. */
export const shownOf = ({ state, webhook }: WebhooksView): Shown => ({
  ...(v.is(DeliveryState, state) && { state }),
  ...(v.is(Uuid, webhook) && { webhook }),
});

/** Whether an address asks for something that there is not. */
export const isBadAddress = (view: WebhooksView): boolean =>
  Object.keys(view).length > Object.keys(shownOf(view)).length;
