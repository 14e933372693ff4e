import { createMiddleware } from 'hono/factory';
import { invalidRequest } from '../platform/refusal.ts';
import { NUL, refused } from '../platform/text.ts';
import type { AppEnv } from './env.ts';

/** Paths of programs and files, never answered with the console's page. */
export const NOT_A_PAGE = /^\/(api|v1|assets|healthz|readyz|outbox|transcribe-websocket)(\/|$)/;

/**
 * Refuses URLs with U+0000 in path or query. The query of a page is the console's: the server does not read it.
 * @throws Refusal invalid_request
 */
export const requireText = createMiddleware<AppEnv>(async (c, next) => {
  const { pathname, search } = new URL(c.req.url);
  for (const [location, part] of [
    ['path', pathname],
    // By the path that picks the route: an escape of another character hides none.
    ['query', NOT_A_PAGE.test(c.req.path) ? search : ''],
  ] as const) {
    if (part.includes('%00')) throw invalidRequest([refused(location, NUL)]);
  }
  await next();
});
