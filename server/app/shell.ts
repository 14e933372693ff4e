import { randomBytes } from 'node:crypto';
import { UPLOAD_MAX_BYTES } from '#contract/files.ts';
import type { PaymentMode } from '#contract/payments.ts';
import { CSRF_FIELD } from '#contract/session.ts';
import { SETTINGS_ELEMENT_ID, type RetentionKind, type PageSettings } from '#contract/settings.ts';
import { Hono, type Context } from 'hono';
import type { Services } from '../platform/context.ts';
import { escapeHtml } from '../platform/html.ts';
import { referenceLinks } from '../http/openapi/more-info.ts';
import { themeScript } from './document-page.ts';
import type { Pages } from './pages.ts';
import { hasOpenedOutbox, hasOutboxPage } from './outbox-page.ts';
import { consolePolicy } from '../http/csp.ts';
import { readStartingCredit } from '../money/ledger/credits.ts';
import { pricesAt } from '../money/usage/price-lists.ts';
import { DEFAULT_PRICES, type Prices } from '../platform/prices.ts';
import type { KeepDays } from '../platform/retention.ts';
import { csrfToken } from '../http/csrf.ts';
import type { AppEnv } from '../http/env.ts';
import { Refusal, notFound } from '../platform/refusal.ts';
import { fileOf, hasAssetName, sendFile } from '../http/static.ts';
import { NOT_A_PAGE } from '../http/text.ts';

/** The console: its files, and its page at every other address that a browser opens. */
export function shellRoutes(services: Services, pages: Pages, payments: PaymentMode): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  const charges = chargesOf(services);

  routes.get('/assets/*', async (c) => {
    const file = await fileOf(services.webRoot, pathOf(c));
    if (file === undefined) throw notFound();
    return sendFile(c, file, 'public, max-age=31536000, immutable');
  });

  routes.get('/inspector', (c) => page(c, 'inspector'));

  routes.get('*', async (c, next) => {
    const path = pathOf(c);
    if (NOT_A_PAGE.test(path)) return next();
    if (hasAssetName(path)) {
      const file = await fileOf(services.webRoot, path);
      if (file === undefined) throw notFound();
      return sendFile(c, file, 'public, max-age=3600');
    }
    if (!/text\/html|\*\/\*/.test(c.req.header('accept') ?? '*/*')) return next();
    return page(c, 'index');
  });

  async function page(c: Context<AppEnv>, name: 'index' | 'inspector'): Promise<Response> {
    let template: string;
    try {
      template = await pages.html(name, c.req.url);
    } catch (error) {
      services.log.error({ err: error }, 'the page cannot be read');
      throw new Refusal('unavailable', 'not_built', 'The console is not built. Run `npm run build`.');
    }
    const nonce = randomBytes(16).toString('base64');
    const settings = settingsJson(services, { mails: mailsFor(services, c), ...(await charges()), payments });
    const shell =
      `<input type="hidden" name="${CSRF_FIELD}" value="${escapeHtml(csrfToken(c, services))}">` +
      `<script type="application/json" id="${SETTINGS_ELEMENT_ID}" nonce="${nonce}">${settings}</script>`;
    const html = template
      .replace('<!--app-shell-->', () => shell)
      .replace('<!--theme-->', () => themeScript(services))
      .replaceAll('__CSP_NONCE__', nonce);
    c.header(
      'content-security-policy',
      consolePolicy(services, { nonce, host: c.req.header('host') ?? '', dev: pages.dev }),
    );
    c.header('cache-control', 'no-store');
    // The page may open the inspector in a window and talk to it; a foreign page that opens the console cannot.
    c.header('cross-origin-opener-policy', 'same-origin-allow-popups');
    return c.html(html);
  }

  return routes;
}

/** What happens to mails, as far as this browser may know. */
function mailsFor(services: Services, c: Context<AppEnv>): PageSettings['mails'] {
  if (services.config.smtpUrl !== undefined) return 'sent';
  if (!hasOutboxPage(services)) return 'lost';
  return hasOpenedOutbox(services, c) ? 'outboxOpen' : 'outboxClosed';
}

/** The path as sent, decoded. `c.req.path` would lack its trailing slash. */
function pathOf(c: Context<AppEnv>): string {
  try {
    return decodeURIComponent(new URL(c.req.url).pathname);
  } catch {
    // Not an address that the console has written; it gets the page, which leads on.
    return '/';
  }
}

interface Charges {
  prices: Prices;
  startingCredit: boolean;
}

/** Reads prices and starting credit from the database; if it does not answer, gives the last values. */
function chargesOf({ db, clock, config, log }: Services): () => Promise<Charges> {
  let last: Charges = { prices: config.prices ?? DEFAULT_PRICES, startingCredit: config.startingCreditMicros !== 0 };
  return async () => {
    try {
      const [prices, credit] = await Promise.all([pricesAt(db, clock()), readStartingCredit(db)]);
      last = { prices, startingCredit: credit > 0 };
    } catch (error) {
      log.warn({ err: error }, 'the current prices cannot be read');
    }
    return last;
  };
}

/** Settings that depend on the request and its time. */
type Current = Pick<PageSettings, 'mails' | 'payments'> & Charges;

function settingsJson({ config, publicUrl }: Services, { prices, ...current }: Current): string {
  const settings: PageSettings = {
    product: config.product,
    productName: config.productName,
    supportEmail: config.supportEmail ?? 'support',
    speechBaseUrl: config.speechBaseUrl,
    streamingUrl: config.streamingUrl,
    links: { ...config.links, ...referenceLinks({ config, publicUrl }) },
    ...current,
    prices: Object.fromEntries(prices),
    singleSignOn: config.singleSignOn !== undefined,
    keptDays: keptDaysOf(config.keepDays),
    maxUploadBytes: UPLOAD_MAX_BYTES,
  };
  // An escaped `<` can neither end the element nor open a comment.
  return JSON.stringify(settings).replaceAll('<', '\\u003c');
}

const KEPT: readonly RetentionKind[] = ['usage', 'audit', 'recordings', 'transcriptions'];

const keptDaysOf = (days: KeepDays): Record<string, number> =>
  Object.fromEntries(KEPT.flatMap((kept) => (days[kept] === undefined ? [] : [[kept, days[kept]]])));
