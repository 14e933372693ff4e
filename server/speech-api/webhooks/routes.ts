import { Hono } from 'hono';
import { DeliveriesQuery } from '#contract/webhooks.ts';
import type { AppEnv } from '../../http/env.ts';
import { notFound } from '../../http/errors.ts';
import { readPage } from '../../http/paging.ts';
import { readQuery, uuidParam } from '../../http/validate.ts';
import type { Services } from '../../platform/context.ts';
import { inProject, requireMember } from '../../tenancy/access/guard.ts';
import { actOf } from '../../tenancy/audit/log.ts';
import { projectNotFound } from '../../tenancy/not-found.ts';
import { listDeliveries, readDelivery, sendAgain } from './queries.ts';
import { readSigningSecret, rollSecret, secretSealer, showSecret } from './secrets.ts';

const HOOKS = '/api/v2/projects/:project/webhooks';
const deliveryNotFound = () => notFound('Webhook not found.');

/** What has become of a project's webhooks, and what they are signed with. */
export function webhookRoutes(services: Services): Hono<AppEnv> {
  const { db, clock } = services;
  const sealer = secretSealer(services.secretFor);
  const signedIn = requireMember(services);
  const routes = new Hono<AppEnv>()
    .get(HOOKS, signedIn, async (c) => {
      const { projectId } = inProject(c, 'webhooks.read');
      const { state } = readQuery(c, DeliveriesQuery);
      return c.json(await listDeliveries(db, projectId, readPage(c), state));
    })
    .get(`${HOOKS}/secret`, signedIn, async (c) => {
      const { projectId } = inProject(c, 'webhooks.read');
      return c.json(await readSigningSecret(db, projectId, clock()));
    });
  for (const [path, act] of [
    ['show', showSecret],
    ['roll', rollSecret],
  ] as const)
    routes.post(`${HOOKS}/secret/${path}`, signedIn, async (c) => {
      const project = inProject(c, 'webhooks.manage');
      // The one answer with the secret in it must not stay anywhere.
      c.header('cache-control', 'no-store');
      const shown = await act(db, sealer, actOf(c, clock), project);
      if (!shown) throw projectNotFound();
      return c.json(shown);
    });
  return routes
    .get(`${HOOKS}/:transcription`, signedIn, async (c) => {
      const { projectId } = inProject(c, 'webhooks.read');
      const details = await readDelivery(db, projectId, uuidParam(c, 'transcription', deliveryNotFound()));
      if (!details) throw deliveryNotFound();
      return c.json(details);
    })
    .post(`${HOOKS}/:transcription/send-again`, signedIn, async (c) => {
      const project = inProject(c, 'webhooks.manage');
      const sent = await sendAgain(db, actOf(c, clock), project, uuidParam(c, 'transcription', deliveryNotFound()));
      if (!sent) throw deliveryNotFound();
      return c.json(sent);
    });
}
