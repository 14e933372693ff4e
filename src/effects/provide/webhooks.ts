/** Provides the charts of a project's webhooks with their effects. */
import * as v from 'valibot';
import { fromPromise } from 'xstate';
import {
  listWebhooks,
  readSigningSecret,
  readWebhook,
  rollSigningSecret,
  sendWebhookAgain,
  showSigningSecret,
} from '#contract/api/webhooks.ts';
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
import type { DeliveryOf } from '#machines/workspace/webhooks/delivery/actors.ts';
import { deliveryMachine } from '#machines/workspace/webhooks/delivery/machine.ts';
import { deliveriesMachine } from '#machines/workspace/webhooks/list.ts';
import { webhooksMachine } from '#machines/workspace/webhooks/machine.ts';
import type { OfProject, SecretAction } from '#machines/workspace/webhooks/secret/actors.ts';
import { signingSecretMachine } from '#machines/workspace/webhooks/secret/machine.ts';
import { copyText } from '../browser/clipboard.ts';
import type { Caller } from '../http/caller.ts';
import { pageAt } from '../http/pages.ts';

const pageOf = ({ deliveries, next_page_cursor }: WebhookDeliveries): ListPage<WebhookItem> => ({
  items: deliveries.map((delivery) => ({ ...delivery, id: delivery.transcription_id })),
  nextCursor: next_page_cursor,
});

export const webhooksOf = (call: Caller) =>
  webhooksMachine.provide({
    actors: {
      list: deliveriesMachine.provide({
        actors: {
          fetchPage: fromPromise<ListPage<WebhookItem>, PageRequest>(
            async ({ input: { of = '', only, cursor }, signal }) =>
              pageOf(
                await call(listWebhooks, {
                  params: { project: of },
                  query: { state: v.parse(v.optional(DeliveryState), only), ...pageAt(cursor) },
                  signal,
                }),
              ),
          ),
        },
      }),
      loadBeginning: fromPromise<ListPage<WebhookItem>, BeginningRequest>(
        async ({ input: { projectUuid, state, limit }, signal }) =>
          pageOf(
            await call(listWebhooks, {
              params: { project: projectUuid },
              query: { state, limit: String(limit) },
              signal,
            }),
          ),
      ),
      delivery: deliveryMachine.provide({
        actors: {
          loadDelivery: fromPromise<WebhookDetails, DeliveryOf>(({ input, signal }) =>
            call(readWebhook, { params: { project: input.projectUuid, transcription: input.id }, signal }),
          ),
          sendAgain: fromPromise<WebhookDelivery, DeliveryOf>(({ input, signal }) =>
            call(sendWebhookAgain, {
              params: { project: input.projectUuid, transcription: input.id },
              signal,
            }),
          ),
        },
      }),
      secret: signingSecretMachine.provide({
        actors: {
          loadSecret: fromPromise<SigningSecret, OfProject>(({ input, signal }) =>
            call(readSigningSecret, { params: { project: input.projectUuid }, signal }),
          ),
          requestSecret: fromPromise<ShownSecret, OfProject & { wanted: SecretAction }>(({ input, signal }) =>
            call(input.wanted === 'show' ? showSigningSecret : rollSigningSecret, {
              params: { project: input.projectUuid },
              signal,
            }),
          ),
          secretReveal: secretRevealMachine.provide({ actors: { copyText } }),
        },
      }),
    },
  });
