/** The charts of a project's webhooks, with what they call. */
import * as v from 'valibot';
import { fromPromise } from 'xstate';
import { PAGE_SIZE } from '#contract/fields.ts';
import {
  DeliveryState,
  type ShownSecret,
  type SigningSecret,
  type WebhookDeliveries,
  type WebhookDelivery,
  type WebhookDetails,
} from '#contract/webhooks.ts';
import type { ListPage, PageRequest } from '#machines/shared/pagedList/actors.ts';
import { secretRevealMachine } from '#machines/shared/secretReveal/machine.ts';
import type { BeginningRequest, WebhookItem } from '#machines/workspace/webhooks/actors.ts';
import type { OfWebhook } from '#machines/workspace/webhooks/delivery/actors.ts';
import { deliveryMachine } from '#machines/workspace/webhooks/delivery/machine.ts';
import { deliveriesMachine } from '#machines/workspace/webhooks/list.ts';
import { webhooksMachine } from '#machines/workspace/webhooks/machine.ts';
import type { OfProject, Wanted } from '#machines/workspace/webhooks/secret/actors.ts';
import { signingSecretMachine } from '#machines/workspace/webhooks/secret/machine.ts';
import { copyText } from '../browser/clipboard.ts';
import type { MainApi } from '../http/mainApi.ts';

const pageOf = ({ deliveries, next_page_cursor }: WebhookDeliveries): ListPage<WebhookItem> => ({
  items: deliveries.map((delivery) => ({ ...delivery, id: delivery.transcription_id })),
  nextCursor: next_page_cursor,
});

export const webhooksOf = (api: MainApi) =>
  webhooksMachine.provide({
    actors: {
      list: deliveriesMachine.provide({
        actors: {
          fetchPage: fromPromise<ListPage<WebhookItem>, PageRequest>(
            async ({ input: { of = '', only, cursor }, signal }) =>
              pageOf(
                await api.webhooks(
                  of,
                  { state: v.parse(v.optional(DeliveryState), only), limit: PAGE_SIZE, cursor },
                  signal,
                ),
              ),
          ),
        },
      }),
      loadBeginning: fromPromise<ListPage<WebhookItem>, BeginningRequest>(
        async ({ input: { projectUuid, state, limit }, signal }) =>
          pageOf(await api.webhooks(projectUuid, { state, limit, cursor: null }, signal)),
      ),
      delivery: deliveryMachine.provide({
        actors: {
          loadDelivery: fromPromise<WebhookDetails, OfWebhook>(({ input, signal }) =>
            api.webhook(input.projectUuid, input.id, signal),
          ),
          sendAgain: fromPromise<WebhookDelivery, OfWebhook>(({ input, signal }) =>
            api.sendWebhookAgain(input.projectUuid, input.id, signal),
          ),
        },
      }),
      secret: signingSecretMachine.provide({
        actors: {
          loadSecret: fromPromise<SigningSecret, OfProject>(({ input, signal }) =>
            api.signingSecret(input.projectUuid, signal),
          ),
          askSecret: fromPromise<ShownSecret, OfProject & { wanted: Wanted }>(({ input, signal }) =>
            api.askSigningSecret(input.projectUuid, input.wanted, signal),
          ),
          secretReveal: secretRevealMachine.provide({ actors: { copyText } }),
        },
      }),
    },
  });
