import { createMiddleware } from 'hono/factory';
import * as v from 'valibot';
import { SpeechCredential } from '#contract/authorization.ts';
import { may } from '#contract/roles.ts';
import { countWrongKey } from '../tenancy/api-keys/attempts.ts';
import { findApiKey } from '../tenancy/api-keys/keys.ts';
import type { Services } from '../platform/context.ts';
import { readAccess } from '../identity/auth.ts';
import { bearerOf } from '../http/bearer.ts';
import type { AppEnv } from '../http/env.ts';
import type { Caller } from '../platform/callers.ts';
import { unauthenticated } from '../platform/refusal.ts';
import { peerOf } from '../http/client-address.ts';
import { memberOfProject } from '../tenancy/projects/queries.ts';
import { incorrectKey, missingKey } from './key-messages.ts';
import { projectNotFound } from './not-found.ts';

/**
 * The caller of a console's credential: its user and project. Undefined if the session has ended.
 * @throws Refusal not_found if the user does not see the project, or their role may not use the playground
 */
async function callerOfConsole(services: Services, credential: SpeechCredential): Promise<Caller | undefined> {
  const claims = await readAccess(services, credential.token);
  const member = claims && (await memberOfProject(services.db, claims, credential.project_id));
  if (!member) return undefined;
  const { user, project } = member;
  // Not 403, which would end the console's session (SES-06) and reveal that the project exists.
  if (!project || !may(project.role, 'playground.use')) throw projectNotFound();
  return { projectId: project.projectId, origin: 'playground', apiKeyId: null, userId: user.userId };
}

const Credential = v.pipe(v.string(), v.parseJson(), SpeechCredential);

/**
 * The caller of a bearer token: the console, or a program with an API key. Undefined if the token is invalid; so are
 * temporary keys here, which only open live sessions. @throws Refusal project_not_found, limit_exceeded
 */
async function callerOf(services: Services, bearer: string, address: string): Promise<Caller | undefined> {
  const credential = v.safeParse(Credential, bearer);
  if (credential.success) return callerOfConsole(services, credential.output);
  const key = await findApiKey(services.db, bearer, services.clock());
  if (key) return { projectId: key.projectId, origin: 'public_api', apiKeyId: key.id, userId: null };
  await countWrongKey(services, address);
  return undefined;
}

/** Requires a known caller, and sets `c.var.caller`. @throws Refusal unauthenticated */
export function requireCaller(services: Services) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const bearer = bearerOf(c.req.header('authorization'));
    if (bearer === undefined) throw unauthenticated(missingKey(services));
    const caller = await callerOf(services, bearer, peerOf(services, c));
    if (!caller) throw unauthenticated(incorrectKey(services));
    c.set('caller', caller);
    await next();
  });
}
