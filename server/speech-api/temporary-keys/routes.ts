import type { Hono } from 'hono';
import { SPEECH_CALLS } from '#contract/api/speech.ts';
import { Calls } from '../../http/calls.ts';
import type { AppEnv } from '../../http/env.ts';
import { admit } from '../../money/limits/admission.ts';
import { projectNotFound } from '../not-found.ts';
import type { SpeechServices } from '../services.ts';
import { mintKey } from './keys.ts';

/** `POST /auth/temporary-api-key` (speech API §3). */
export function temporaryKeyRoutes(services: SpeechServices): Hono<AppEnv> {
  const { db, clock } = services;
  return new Calls({ bodyAt: 'body.payload' }).answer(SPEECH_CALLS.createTemporaryKey, ({ c, body }) => {
    const { caller } = c.var;
    return db.transaction().execute(async (trx) => {
      if (!(await admit(trx, services, caller.projectId, 'temporary_key'))) throw projectNotFound();
      return mintKey(trx, caller, body, clock());
    });
  });
}
