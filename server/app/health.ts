import { Hono } from 'hono';
import type { Services } from '../platform/context.ts';
import type { AppEnv } from '../http/env.ts';
import { Refusal } from '../platform/refusal.ts';

/** `/healthz`: the process lives. `/readyz`: it takes requests; 503 if a part is not ready, or it is about to stop. */
export function healthRoutes({ readiness, closing }: Pick<Services, 'readiness' | 'closing'>): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/healthz', (c) => c.json({ ok: true }))
    .get('/readyz', async (c) => {
      if (closing.begun) throw new Refusal('unavailable', 'not_ready', 'The server is about to stop.');
      const lacking = await readiness.lacking();
      if (lacking.length > 0) throw new Refusal('unavailable', 'not_ready', lacking.join(' '));
      return c.json({ ok: true });
    });
}
