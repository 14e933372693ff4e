import type { Hono } from 'hono';
import { PROJECT_CALLS } from '#contract/api/projects.ts';
import { memberCalls } from '../access/guard.ts';
import { actOf } from '../access/act.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { invalidRequest } from '../../platform/refusal.ts';
import { addApiKey, listApiKeys, readApiKey, revokeApiKey } from './queries.ts';

/** API keys of a project (PRJ-03). */
export function apiKeyRoutes(services: Services): Hono<AppEnv> {
  const { db, clock } = services;
  return memberCalls(services)
    .answer(PROJECT_CALLS.listApiKeys, async ({ project }) => ({
      api_keys: await listApiKeys(db, project.projectId),
    }))
    .answer(PROJECT_CALLS.createApiKey, ({ c, project, body }) => {
      if (body.expires_at && new Date(body.expires_at) <= clock())
        throw invalidRequest([
          { error_type: 'invalid', location: 'body.expires_at', message: 'The expiry must be in the future.' },
        ]);
      // Only this answer has the key, so nothing may cache it.
      c.header('cache-control', 'no-store');
      return addApiKey(db, actOf(c, clock), project, body);
    })
    .answer(PROJECT_CALLS.readApiKey, ({ project, param }) => readApiKey(db, project.projectId, param('key')))
    .answer(PROJECT_CALLS.revokeApiKey, ({ c, project, param }) =>
      revokeApiKey(db, actOf(c, clock), project, param('key')),
    );
}
