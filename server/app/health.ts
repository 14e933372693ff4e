import { Hono } from 'hono';
import { sql } from 'kysely';
import type { Services } from '../platform/context.ts';
import type { AppEnv } from '../http/env.ts';
import { ApiProblem } from '../http/errors.ts';

/** `/healthz`: the process answers. `/readyz`: so does its database. */
export function healthRoutes(services: Services): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/healthz', (c) => c.json({ ok: true }))
    .get('/readyz', async (c) => {
      try {
        await sql`select 1`.execute(services.db);
      } catch (error) {
        services.log.error({ err: error }, 'database does not answer');
        throw new ApiProblem(503, 'not_ready', 'The database does not answer.');
      }
      return c.json({ ok: true });
    });
}
