import { Hono } from 'hono';
import type { AppEnv } from '../http/env.ts';
import { refusalHandler, noRouteHandler } from '../http/errors.ts';
import { requireKnownHost, securityHeaders } from '../http/guards.ts';
import { moreInfoOf } from '../http/openapi/more-info.ts';
import { requestLog } from '../http/request-log.ts';
import type { Services } from '../platform/context.ts';
import { healthRoutes } from './health.ts';

/** The routes of a process that only runs jobs (`ROLE=worker`): health and readiness. */
export function createWorkerApp(services: Services): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ strict: false });
  const moreInfo = moreInfoOf(services);
  app.onError(refusalHandler(services, moreInfo));
  app.use(requestLog(services), securityHeaders(services), requireKnownHost(services));
  app.route('/', healthRoutes(services));
  app.notFound(noRouteHandler(() => [], moreInfo));
  return app;
}
