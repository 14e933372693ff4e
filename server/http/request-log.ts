import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import { createMiddleware } from 'hono/factory';
import { routePath } from 'hono/route';
import type { Services } from '../platform/context.ts';
import { clientOf } from './client-address.ts';
import { asPartOf, TRACEPARENT_HEADER } from '../platform/telemetry/work.ts';
import type { AppEnv } from './env.ts';
import { pageIdOf } from './page-id.ts';
import { requestIdOf } from './request-id.ts';

/** The readiness probe. Its 503 is no error: `readiness` logs the changes. */
const PROBE = '/readyz';
/** Methods that may be labels of metrics; clients could send any others. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Methods that change something. */
const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Gives each request an id, which all its log lines have, and writes a line when it is answered. The line has the
 * route's pattern instead of the URL, because paths and queries can contain one-time tokens.
 */
export function requestLog({ log, config, meters, tracer }: Pick<Services, 'log' | 'config' | 'meters' | 'tracer'>) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const started = performance.now();
    const requestId = requestIdOf(c.env.incoming, config);
    c.set('requestId', requestId);
    const client = clientOf(c.env.incoming, config.trustedProxies).address;
    const method = METHODS.has(c.req.method) ? c.req.method : 'OTHER';
    const traceparent = tracer.isOn ? c.req.header(TRACEPARENT_HEADER) : undefined;
    const page = CHANGING.has(method) ? pageIdOf(c.req) : undefined;
    const span = tracer.start(method, 'server', { requestId, traceparent, page });
    await asPartOf(span.work, next);
    c.header(REQUEST_ID_HEADER, requestId);
    const ms = performance.now() - started;
    const route = routePath(c);
    const { status } = c.res;
    const failed = status >= 500 && route !== PROBE;
    span.end({
      name: `${method} ${route}`,
      failed: failed ? String(status) : undefined,
      attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
    });
    meters.count('parlance_http_requests_total', { method, route, status: String(status) });
    meters.observe('parlance_http_request_duration_seconds', { method, route }, ms / 1000);
    const line = {
      client,
      method: c.req.method,
      route,
      status,
      ms: Math.round(ms),
      ...c.get('logFields'),
    };
    asPartOf(span.work, () => (failed ? log.error(line, 'request') : log.info(line, 'request')));
  });
}
