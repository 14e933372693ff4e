// Reads the filter and the opened webhook in an address.
import * as v from 'valibot';
import { Uuid } from '#contract/fields.ts';
import { DeliveryState } from '#contract/webhooks.ts';
import type { Route, WebhooksRoute, WebhooksView } from '../../shared/route.ts';

type Shown = { state?: DeliveryState; webhook?: string };

export const isWebhooks = (route: Route): route is WebhooksRoute => route.screen === 'webhooks';

/** The parameters of webhooks in an address. */
export const viewOf = ({ state, webhook }: WebhooksView): WebhooksView => ({
  ...(state !== undefined && { state }),
  ...(webhook !== undefined && { webhook }),
});

/** The valid parameters of an address. */
export const shownOf = ({ state, webhook }: WebhooksView): Shown => ({
  ...(v.is(DeliveryState, state) && { state }),
  ...(v.is(Uuid, webhook) && { webhook }),
});

/** Whether an address has an invalid parameter. */
export const isBadAddress = (view: WebhooksView): boolean =>
  Object.keys(view).length > Object.keys(shownOf(view)).length;
