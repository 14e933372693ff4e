import { Hono } from 'hono';
import { TemporaryKeyRequest } from '#contract/temporary-keys.ts';
import type { AppEnv } from '../../http/env.ts';
import { readJson } from '../../http/validate.ts';
import { admit } from '../../money/limits/admission.ts';
import { asProblem } from '../limit-refusal.ts';
import { projectNotFound } from '../not-found.ts';
import type { SpeechServices } from '../services.ts';
import { mintKey } from './keys.ts';

/** `POST /auth/temporary-api-key` (speech API §3). */
export function temporaryKeyRoutes(services: SpeechServices): Hono<AppEnv> {
  const { db, clock } = services;
  return new Hono<AppEnv>().post('/auth/temporary-api-key', async (c) => {
    const request = await readJson(c, TemporaryKeyRequest, 'body.payload');
    const { caller } = c.var;
    const key = await asProblem(() =>
      db.transaction().execute(async (trx) => {
        if (!(await admit(trx, services, caller.projectId, 'temporary_key'))) throw projectNotFound();
        return mintKey(trx, caller, request, clock());
      }),
    );
    return c.json(key, 201);
  });
}
