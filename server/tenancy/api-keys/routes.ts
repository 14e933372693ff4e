import { Hono } from 'hono';
import { ApiKeyCreate, type ApiKeys } from '#contract/api-keys.ts';
import { inProject, requireMember } from '../access/guard.ts';
import { apiKeyNotFound, projectNotFound } from '../not-found.ts';
import { actOf } from '../audit/log.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { invalidRequest } from '../../http/errors.ts';
import { readJson, uuidParam } from '../../http/validate.ts';
import { addApiKey, listApiKeys, readApiKey, revokeApiKey } from './queries.ts';

const KEYS = '/api/v2/projects/:project/api-keys';

/** API keys of a project (spec §7). */
export function apiKeyRoutes(services: Services): Hono<AppEnv> {
  const { db, clock } = services;
  const signedIn = requireMember(services);
  return new Hono<AppEnv>()
    .get(KEYS, signedIn, async (c) => {
      const { projectId } = inProject(c, 'apiKeys.manage');
      return c.json({ api_keys: await listApiKeys(db, projectId) } satisfies ApiKeys);
    })
    .post(KEYS, signedIn, async (c) => {
      const project = inProject(c, 'apiKeys.manage');
      const wanted = await readJson(c, ApiKeyCreate);
      if (wanted.expires_at && new Date(wanted.expires_at) <= clock())
        throw invalidRequest([
          { error_type: 'invalid', location: 'body.expires_at', message: 'The expiry must be in the future.' },
        ]);
      // The one answer with the key in it must not stay anywhere.
      c.header('cache-control', 'no-store');
      const made = await addApiKey(db, actOf(c, clock), project, wanted);
      if (!made) throw projectNotFound();
      return c.json(made, 201);
    })
    .get(`${KEYS}/:key`, signedIn, async (c) => {
      const { projectId } = inProject(c, 'apiKeys.manage');
      const key = await readApiKey(db, projectId, uuidParam(c, 'key', apiKeyNotFound()));
      if (!key) throw apiKeyNotFound();
      return c.json(key);
    })
    .delete(`${KEYS}/:key`, signedIn, async (c) => {
      const project = inProject(c, 'apiKeys.manage');
      if (!(await revokeApiKey(db, actOf(c, clock), project, uuidParam(c, 'key', apiKeyNotFound()))))
        throw apiKeyNotFound();
      return c.body(null, 204);
    });
}
