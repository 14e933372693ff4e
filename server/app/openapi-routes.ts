import { createHash } from 'node:crypto';
import { Hono } from 'hono';
import type { Services } from '../platform/context.ts';
import type { AppEnv } from '../http/env.ts';
import { describeApis } from '../http/openapi/apis.ts';
import { REFERENCE_PATH } from '../http/openapi/more-info.ts';
import { STYLE } from '../http/openapi/page-style.ts';
import { referencePage } from '../http/openapi/page.ts';

const documentPath = (name: 'main' | 'speech'): string => `${REFERENCE_PATH}/openapi/${name}.json`;
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
const CACHED = 'no-cache';

/** The OpenAPI documents and the page that shows them. */
export function openApiRoutes(services: Services): Hono<AppEnv> {
  let written: { documents: ReturnType<typeof describeApis>; html: string } | undefined;
  // At the first call, when the port is known.
  const write = (): NonNullable<typeof written> => {
    const documents = describeApis(services);
    const { main, speech } = documents;
    return {
      documents,
      html: referencePage(services.config.productName, [
        { key: 'speech', href: documentPath('speech'), document: speech },
        { key: 'main', href: documentPath('main'), document: main },
      ]),
    };
  };
  return new Hono<AppEnv>()
    .get(REFERENCE_PATH, (c) => {
      written ??= write();
      return c.html(written.html, 200, { 'content-security-policy': POLICY, 'cache-control': CACHED });
    })
    .get(`${REFERENCE_PATH}/openapi/:name{(main|speech)\\.json}`, (c) => {
      written ??= write();
      return c.json(c.req.param('name') === 'main.json' ? written.documents.main : written.documents.speech, 200, {
        'cache-control': CACHED,
      });
    });
}
