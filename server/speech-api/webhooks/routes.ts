import type { Hono } from 'hono';
import { WEBHOOK_CALLS } from '#contract/api/webhooks.ts';
import type { AppEnv } from '../../http/env.ts';
import { pageOf } from '../../platform/paging.ts';
import type { Services } from '../../platform/context.ts';
import { memberCalls } from '../../tenancy/access/guard.ts';
import { actOf } from '../../tenancy/access/act.ts';
import { listDeliveries, readDelivery, sendAgain } from './queries.ts';
import { readSigningSecret, rollSecret, secretSealer, showSecret } from './secrets.ts';

/** The deliveries of a project's webhooks, and their signing secret. */
export function webhookRoutes(services: Services): Hono<AppEnv> {
  const { db, clock } = services;
  const sealer = secretSealer(services.secretFor);
  return memberCalls(services)
    .answer(WEBHOOK_CALLS.listWebhooks, ({ project, query }) =>
      listDeliveries(db, project.projectId, pageOf(query), query.state),
    )
    .answer(WEBHOOK_CALLS.readSigningSecret, ({ project }) => readSigningSecret(db, project.projectId, clock()))
    .answer(WEBHOOK_CALLS.showSigningSecret, ({ c, project }) => showSecret(db, sealer, actOf(c, clock), project))
    .answer(WEBHOOK_CALLS.rollSigningSecret, ({ c, project }) => rollSecret(db, sealer, actOf(c, clock), project))
    .answer(WEBHOOK_CALLS.readWebhook, ({ project, param }) =>
      readDelivery(db, project.projectId, param('transcription')),
    )
    .answer(WEBHOOK_CALLS.sendWebhookAgain, ({ c, project, param }) =>
      sendAgain(db, actOf(c, clock), project, param('transcription')),
    );
}
