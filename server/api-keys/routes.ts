import { Hono, type Context } from 'hono';
import { ApiKeyCreate, type ApiKeys } from '#contract/api-keys.ts';
import type { Services } from '../context.ts';
import { may } from '#contract/roles.ts';
import { requireUser } from '../http/auth.ts';
import type { AppEnv } from '../http/env.ts';
import { ApiProblem, invalidRequest, notFound } from '../http/errors.ts';
import { readJson, uuidParam } from '../http/validate.ts';
import { projectForUser } from '../projects/queries.ts';
import { addApiKey, listApiKeys, revokeApiKey } from './queries.ts';

const KEYS = '/api/v2/projects/:project/api-keys';
const projectNotFound = (): ApiProblem => notFound('Project not found.');
const keyNotFound = (): ApiProblem => notFound('API key not found.');

/** API keys of a project (spec §7). */
export function apiKeyRoutes(services: Services): Hono<AppEnv> {
  const { db, clock } = services;
  const signedIn = requireUser(services);

  /** The id of the path's project. @throws ApiProblem 404 for what is not the user's, 403 where the role forbids it */
  const managedProject = async (c: Context<AppEnv>): Promise<string> => {
    const project = await projectForUser(db, c.var.user.userId, uuidParam(c, 'project', projectNotFound()));
    if (!project) throw projectNotFound();
    if (!may(project.role, 'apiKeys.manage')) throw new ApiProblem(403, 'permission_denied', 'Your role may not manage API keys.');
    return project.projectId;
  };

  return new Hono<AppEnv>()
    .get(KEYS, signedIn, async (c) => c.json({ api_keys: await listApiKeys(db, await managedProject(c)) } satisfies ApiKeys))
    .post(KEYS, signedIn, async (c) => {
      const projectId = await managedProject(c);
      const wanted = await readJson(c, ApiKeyCreate);
      const now = clock();
      if (wanted.expires_at && new Date(wanted.expires_at) <= now) throw invalidRequest([{ error_type: 'invalid', location: 'body.expires_at', message: 'The expiry must be in the future.' }]);
      // The one answer with the key in it must not stay anywhere.
      c.header('cache-control', 'no-store');
      return c.json(await addApiKey(db, projectId, c.var.user, wanted, now), 201);
    })
    .delete(`${KEYS}/:key`, signedIn, async (c) => {
      const projectId = await managedProject(c);
      if (!(await revokeApiKey(db, projectId, uuidParam(c, 'key', keyNotFound()), clock()))) throw keyNotFound();
      return c.body(null, 204);
    });
}
