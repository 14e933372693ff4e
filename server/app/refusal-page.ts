import type { Context } from 'hono';
import type { AppEnv } from '../http/env.ts';
import type { Services } from '../platform/context.ts';
import { escapeHtml } from '../platform/html.ts';
import { Refusal } from '../platform/refusal.ts';
import { sendDocument, topBar } from './document-page.ts';
import type { Pages } from './pages.ts';

/** The short address of the transactions of whatever organization the reader opens. */
const TRANSACTIONS = '/org/billing/transactions/';

/**
 * Answers a browser with a page if what it asks for is not there: the reason, and a link to the transactions. Throws
 * the refusal to all other clients, which get JSON.
 */
export async function orMissingPage(
  c: Context<AppEnv>,
  services: Services,
  pages: Pages,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    const isPage = c.req.header('accept')?.includes('text/html') === true;
    if (!(error instanceof Refusal) || error.kind !== 'not_found' || !isPage) throw error;
    c.status(404);
    c.header('cache-control', 'no-store');
    c.header('x-robots-tag', 'noindex');
    return sendDocument(c, services, pages, {
      title: `This link does not work · ${services.config.productName}`,
      body: `${topBar(services, '', [{ href: '/', text: 'Open the console' }])}<main class="narrow receipt"><h1>This link does not work</h1><p>${escapeHtml(error.message)}</p><p><a href="${TRANSACTIONS}">Open your transactions</a></p></main>`,
    });
  }
}
