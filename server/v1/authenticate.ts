import { createMiddleware } from 'hono/factory';
import * as v from 'valibot';
import { SpeechCredential } from '#contract/authorization.ts';
import type { Services } from '../context.ts';
import { bearerOf, verifyAccess } from '../http/auth.ts';
import type { AppEnv, Caller } from '../http/env.ts';
import { ApiProblem, unauthenticated } from '../http/errors.ts';

/** The credential of the console: who is signed in, and for which project. @throws ApiProblem 404 when the project is not one of theirs */
async function callerOfConsole(services: Services, credential: SpeechCredential): Promise<Caller | undefined> {
  const user = await verifyAccess(services, credential.token);
  if (!user) return undefined;
  const project = await services.db
    .selectFrom('projects')
    .innerJoin('memberships', 'memberships.organization_id', 'projects.organization_id')
    .select('projects.id')
    .where('projects.id', '=', credential.project_id)
    .where('memberships.user_id', '=', user.userId)
    .executeTakeFirst();
  // Not 403: that would end the console's session (spec §4), and tell that the project exists.
  if (!project) throw new ApiProblem(404, 'project_not_found', 'Project could not be found.');
  return { projectId: project.id, origin: 'playground', apiKeyId: null };
}

const Credential = v.pipe(v.string(), v.parseJson(), SpeechCredential);

/** Who calls, from the `Authorization` header; undefined when it names nobody. @throws ApiProblem 404 project_not_found */
async function authenticate(services: Services, header: string | undefined): Promise<Caller | undefined> {
  const credential = v.safeParse(Credential, bearerOf(header));
  return credential.success ? callerOfConsole(services, credential.output) : undefined;
}

/** Lets only known callers through and puts them in `c.var.caller`. 401 otherwise. */
export function requireCaller(services: Services) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const caller = await authenticate(services, c.req.header('authorization'));
    if (!caller) throw unauthenticated(`Incorrect API key provided. You can get an API key at ${services.publicUrl()}`);
    c.set('caller', caller);
    await next();
  });
}
