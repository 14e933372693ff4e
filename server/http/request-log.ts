import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import { randomUUID } from 'node:crypto';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { Services } from '../platform/context.ts';
import { clientOf } from './client-address.ts';
import type { AppEnv } from './env.ts';

/**
 * Gives every request an id of ours (one from outside is ignored) and writes its log line when it is answered.
 * The line names the route's pattern, never the address itself: paths and queries can carry one-time tokens.
 */
export function requestLog({ log, config }: Pick<Services, 'log' | 'config'>) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const started = performance.now();
    const requestId = randomUUID();
    c.set('requestId', requestId);
    const client = clientOf(c.env.incoming, config.trustedProxies).address;
    await next();
    c.header(REQUEST_ID_HEADER, requestId);
    const line = {
      request_id: requestId,
      client,
      method: c.req.method,
      route: routePath(c),
      status: c.res.status,
      ms: Math.round(performance.now() - started),
      ...c.get('logFields'),
    };
    if (c.res.status >= 500) log.error(line, 'request');
    else log.info(line, 'request');
  });
}
