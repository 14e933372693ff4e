import { Hono } from 'hono';
import { TemporaryKeyRequest } from '#contract/temporary-keys.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { readJson } from '../../http/validate.ts';
import { mintKey } from './keys.ts';

/** `POST /auth/temporary-api-key` (speech API §3). */
export function temporaryKeyRoutes({ db, clock }: Services): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/auth/temporary-api-key', async (c) => {
    const request = await readJson(c, TemporaryKeyRequest, 'body.payload');
    return c.json(await mintKey(db, c.var.caller, request, clock()), 201);
  });
}
