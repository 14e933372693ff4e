import { Hono, type Context } from 'hono';
import type { Services } from '../platform/context.ts';
import type { AppEnv } from '../http/env.ts';
import { describeApis } from '../http/openapi/apis.ts';
import { CONSOLE_REFERENCE_PATH, REFERENCE_PATH } from '../http/openapi/more-info.ts';
import type { Limit } from '../http/openapi/reference/guide.ts';
import { consoleReference, speechReference } from '../http/openapi/reference/page.ts';
import { sendDocument, topBar } from './document-page.ts';
import type { Pages } from './pages.ts';

const documentPath = (name: 'main' | 'speech'): string => `${REFERENCE_PATH}/openapi/${name}.json`;
const CACHED = 'no-cache';

/** The OpenAPI documents, and pages that show them: one for the speech API, one for the console's own. */
export function openApiRoutes(services: Services, pages: Pages, limits: readonly Limit[]): Hono<AppEnv> {
  const { productName } = services.config;
  let written: { documents: ReturnType<typeof describeApis>; speech: string; main: string } | undefined;
  // Written at the first request, because before it the port may not be known.
  const write = (): NonNullable<typeof written> => {
    const documents = describeApis(services);
    const chapter = (key: 'main' | 'speech') => ({ key, href: documentPath(key), document: documents[key] });
    return {
      documents,
      speech: speechReference(productName, chapter('speech'), limits),
      main: consoleReference(productName, chapter('main')),
    };
  };
  const send = (c: Context<AppEnv>, open: 'speech' | 'main'): Promise<Response> => {
    written ??= write();
    const bar = topBar(services, 'API reference', [
      { href: REFERENCE_PATH, text: 'Speech API', isOpen: open === 'speech' },
      { href: CONSOLE_REFERENCE_PATH, text: 'Console API', isOpen: open === 'main' },
      { href: '/', text: 'Back to the console' },
    ]);
    c.header('cache-control', CACHED);
    return sendDocument(c, services, pages, {
      title: `${open === 'speech' ? 'API reference' : 'Console API'} · ${productName}`,
      body: `<a class="skip" href="#content">Skip to the reference</a>${bar}${written[open]}`,
    });
  };
  return new Hono<AppEnv>()
    .get(REFERENCE_PATH, (c) => send(c, 'speech'))
    .get(CONSOLE_REFERENCE_PATH, (c) => send(c, 'main'))
    .get(`${REFERENCE_PATH}/openapi/:name{(main|speech)\\.json}`, (c) => {
      written ??= write();
      return c.json(c.req.param('name') === 'main.json' ? written.documents.main : written.documents.speech, 200, {
        'cache-control': CACHED,
      });
    });
}
