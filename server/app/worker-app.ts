import { Hono } from 'hono';
import type { AppEnv } from '../http/env.ts';
import { problemHandler, unknownHandler } from '../http/errors.ts';
import { requireKnownHost, securityHeaders } from '../http/guards.ts';
import { moreInfoOf } from '../http/openapi/more-info.ts';
import { requestLog } from '../http/request-log.ts';
import type { Services } from '../platform/context.ts';
import { healthRoutes } from './health.ts';

/** All that a process answers which works off jobs (`ROLE=worker`): whether it lives, and whether it can work. */
export function createWorkerApp(services: Services): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ strict: false });
  const moreInfo = moreInfoOf(services);
  app.onError(problemHandler(services, moreInfo));
  app.use(requestLog(services), securityHeaders(services), requireKnownHost(services));
  app.route('/', healthRoutes(services));
  app.notFound(unknownHandler(() => [], moreInfo));
  return app;
}
