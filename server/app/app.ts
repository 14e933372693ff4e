import { Hono } from 'hono';
import { RegExpRouter } from 'hono/router/reg-exp-router';
import { SmartRouter } from 'hono/router/smart-router';
import { TrieRouter } from 'hono/router/trie-router';
import type { AppEnv } from '../http/env.ts';
import { refusalHandler, noRouteHandler } from '../http/errors.ts';
import { requireCsrf, requireKnownHost, securityHeaders } from '../http/guards.ts';
import { moreInfoOf } from '../http/openapi/more-info.ts';
import { requestLog } from '../http/request-log.ts';
import { requireText } from '../http/text.ts';
import { passwordRoutes } from '../identity/accounts/password-routes.ts';
import { accountRoutes } from '../identity/accounts/routes.ts';
import { ssoRoutes } from '../identity/sso/routes.ts';
import { billingRoutes } from '../money/billing/routes.ts';
import { WEBHOOK } from '../money/payments/port.ts';
import { logRoutes } from '../money/logs/routes.ts';
import { metricsRoutes } from '../money/metrics/routes.ts';
import { LIMIT_DEFAULTS, type LimitDefaults } from '../money/limits/defaults.ts';
import { limitRoutes } from '../money/limits/routes.ts';
import type { PaymentDriver } from '../money/payments/port.ts';
import { TestDriver } from '../money/payments/test-driver.ts';
import { booksOf } from '../money/payments/leave.ts';
import { cancelOnDelete } from '../money/usage/record.ts';
import { usageReportRoutes } from '../money/usage/report-routes.ts';
import type { Services } from '../platform/context.ts';
import { webhookRoutes } from '../speech-api/webhooks/routes.ts';
import { personRoutes } from '../tenancy/account/routes.ts';
import { apiKeyRoutes } from '../tenancy/api-keys/routes.ts';
import { auditRoutes } from '../tenancy/audit/routes.ts';
import { eventRoutes } from '../tenancy/events/routes.ts';
import { invitationRoutes } from '../tenancy/invitations/routes.ts';
import { memberRoutes } from '../tenancy/members/routes.ts';
import { organizationRoutes } from '../tenancy/organizations/routes.ts';
import { projectRoutes } from '../tenancy/projects/routes.ts';
import type { Limit } from '../http/openapi/reference/guide.ts';
import { healthRoutes } from './health.ts';
import { openApiRoutes } from './openapi-routes.ts';
import { outboxRoutes } from './outbox-page.ts';
import { builtPages, type Pages } from './pages.ts';
import { receiptRoutes } from './receipt-page.ts';
import { testPaymentRoutes } from './test-payment-page.ts';
import { shellRoutes } from './shell.ts';

export interface AppOptions {
  /** Other parts, such as the speech API: routes with full paths, and limits that the API reference lists. */
  parts?: readonly { routes: Hono<AppEnv>; limits?: readonly Limit[] }[];
  /** The payment provider; test payments by default. */
  payments?: PaymentDriver;
  /** Limits of organizations. */
  limitDefaults?: LimitDefaults;
  /** Where the console's HTML comes from; the build by default. */
  pages?: Pages;
}

/**
 * Mounts the routes of all areas. Paths are registered without trailing slash, and answer with and without one. The
 * console's pages come last, because they answer every other path.
 */
export function createApp(
  services: Services,
  {
    parts = [],
    payments = new TestDriver(services),
    limitDefaults = LIMIT_DEFAULTS,
    pages = builtPages(services.webRoot),
  }: AppOptions = {},
): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ strict: false });
  const moreInfo = moreInfoOf(services);
  app.onError(refusalHandler(services, moreInfo));
  app.use(requestLog(services), securityHeaders(services), requireKnownHost(services), requireText);
  app.use('/api/*', requireCsrf(services, new Set([WEBHOOK])));
  app.route('/', healthRoutes(services));
  app.route('/', accountRoutes(services));
  app.route('/', passwordRoutes(services));
  app.route('/', ssoRoutes(services));
  app.route('/', personRoutes(services));
  app.route('/', organizationRoutes(services, booksOf(services, payments)));
  app.route('/', memberRoutes(services));
  app.route('/', invitationRoutes(services));
  app.route('/', auditRoutes(services));
  app.route('/', projectRoutes(services, cancelOnDelete));
  app.route('/', eventRoutes(services));
  app.route('/', apiKeyRoutes(services));
  app.route('/', usageReportRoutes(services, limitDefaults));
  app.route('/', logRoutes(services));
  app.route('/', metricsRoutes(services, limitDefaults));
  app.route('/', billingRoutes(services, payments, limitDefaults));
  app.route('/', limitRoutes(services, limitDefaults));
  app.route('/', webhookRoutes(services));
  for (const { routes } of parts) app.route('/', routes);
  app.route(
    '/',
    openApiRoutes(
      services,
      pages,
      parts.flatMap(({ limits = [] }) => limits),
    ),
  );
  app.route('/', receiptRoutes(services, pages));
  app.route('/', testPaymentRoutes(services, pages, payments));
  app.route('/', outboxRoutes(services, pages));
  app.route('/', shellRoutes(services, pages, payments.mode));
  app.notFound(noRouteHandler(allowedMethods(app), moreInfo));
  return app;
}

/** The methods of a path, from the routes registered so far, without middleware and catch-alls. */
function allowedMethods(app: Hono<AppEnv>): (path: string) => string[] {
  const router = new SmartRouter<string>({ routers: [new RegExpRouter(), new TrieRouter()] });
  const methods = new Set<string>();
  for (const { method, path } of app.routes) {
    if (method === 'ALL' || path.endsWith('*')) continue;
    methods.add(method);
    router.add(method, path, method);
  }
  return (path) =>
    methods.size === 0 ? [] : [...methods].filter((method) => router.match(method, path)[0].length > 0);
}
