import { Hono } from 'hono';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import { passwordRoutes } from '../accounts/password-routes.ts';
import { accountRoutes } from '../accounts/routes.ts';
import { apiKeyRoutes } from '../api-keys/routes.ts';
import { auditRoutes } from '../audit/routes.ts';
import type { Services } from '../context.ts';
import { eventRoutes } from '../events/routes.ts';
import { invitationRoutes } from '../invitations/routes.ts';
import { memberRoutes } from '../members/routes.ts';
import { organizationRoutes } from '../organizations/routes.ts';
import { outboxRoutes } from '../mail/outbox-page.ts';
import { moreInfoOf } from '../openapi/more-info.ts';
import { openApiRoutes } from '../openapi/routes.ts';
import { projectRoutes } from '../projects/routes.ts';
import { ssoRoutes } from '../sso/routes.ts';
import { usageReportRoutes } from '../usage/report-routes.ts';
import type { AppEnv } from './env.ts';
import { problemHandler, unknownHandler } from './errors.ts';
import { requireCsrf, requireKnownHost, securityHeaders } from './guards.ts';
import { healthRoutes } from './health.ts';
import { requestLog } from './request-log.ts';
import { shellRoutes, type Pages } from './shell.ts';
import { requireText } from './text.ts';

/**
 * The whole HTTP side. Paths are registered without trailing slash and answer with and without one.
 * Each area brings its routes with full paths from `/`; the console's pages come last, they take what is left.
 * @param pages where the console's HTML comes from; the build by default
 */
export function createApp(services: Services, pages?: Pages): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ strict: false });
  const moreInfo = moreInfoOf(services);
  app.onError(problemHandler(services.log, moreInfo));
  app.use(requestLog(services), securityHeaders(services), requireKnownHost(services), requireText);
  app.use('/api/*', requireCsrf(services));
  app.route('/', healthRoutes(services));
  app.route('/', accountRoutes(services));
  app.route('/', passwordRoutes(services));
  app.route('/', ssoRoutes(services));
  app.route('/', organizationRoutes(services));
  app.route('/', memberRoutes(services));
  app.route('/', invitationRoutes(services));
  app.route('/', auditRoutes(services));
  app.route('/', projectRoutes(services));
  app.route('/', eventRoutes(services));
  app.route('/', apiKeyRoutes(services));
  app.route('/', usageReportRoutes(services));
  for (const area of services.areas) app.route('/', area);
  app.route('/', openApiRoutes(services));
  app.route('/', outboxRoutes(services));
  app.route('/', shellRoutes(services, pages));
  app.notFound(unknownHandler(allowedMethods(app), moreInfo));
  return app;
}

/** Which methods a path knows, over every route registered so far (middleware and catch-alls aside). */
function allowedMethods(app: Hono<AppEnv>): (path: string) => string[] {
  const router = new SmartRouter<string>({ routers: [new RegExpRouter(), new TrieRouter()] });
  const methods = new Set<string>();
  for (const { method, path } of app.routes) {
    if (method === 'ALL' || path.endsWith('*')) continue;
    methods.add(method);
    router.add(method, path, method);
  }
  return (path) => (methods.size === 0 ? [] : [...methods].filter((method) => router.match(method, path)[0].length > 0));
}
