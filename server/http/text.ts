import { createMiddleware } from 'hono/factory';
import { invalidRequest } from '../platform/refusal.ts';
import { NUL, refused } from '../platform/text.ts';
import type { AppEnv } from './env.ts';

/** Refuses URLs with U+0000 in path or query. @throws Refusal invalid_request */
export const requireText = createMiddleware<AppEnv>(async (c, next) => {
  const { pathname, search } = new URL(c.req.url);
  for (const [location, part] of [
    ['path', pathname],
    ['query', search],
  ] as const) {
    if (part.includes('%00')) throw invalidRequest([refused(location, NUL)]);
  }
  await next();
});
