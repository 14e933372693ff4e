import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { OUTBOX_PATH } from '#contract/settings.ts';
import { Hono, type Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import type { Services } from '../platform/context.ts';
import type { AppEnv } from '../http/env.ts';
import { notFound } from '../platform/refusal.ts';
import { hostName, isLoopbackAddress, isLoopbackHost } from '../platform/loopback.ts';
import { escapeHtml } from '../platform/html.ts';
import { momentOf } from '../identity/accounts/mails.ts';
import { sendDocument, topBar } from './document-page.ts';
import type { Pages } from './pages.ts';

const COOKIE = 'outbox';
/** Tells pages of the console that this browser has opened the outbox. They do not get the cookie above. */
const OPENED_COOKIE = 'outbox_opened';
const SHOWN = 50;

/** Whether the outbox page replaces sending mail: only if no other machine can open it. */
export function hasOutboxPage({ config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>): boolean {
  return config.smtpUrl === undefined && isLoopbackHost(config.host) && isLoopbackHost(new URL(publicUrl()).hostname);
}

/** The link that opens the outbox. Show it only to the person who starts the server. */
export function outboxLink({ publicUrl, outboxSecret }: Pick<Services, 'publicUrl' | 'outboxSecret'>): string {
  return `${publicUrl()}${OUTBOX_PATH}/${outboxSecret}/`;
}

/** Headers that proxies and content networks add to a request. */
const FORWARDING =
  /^(forwarded|via|cdn-loop|(x-(forwarded|original|envoy|azure|appengine|vercel)|cf|fly|fastly)-.*|.*(client|real|connecting|cluster|remote|proxyuser)-?(ip|addr|host).*)$/;

/**
 * Whether a request seems to come from a program on this machine. Not enough to let it in: a proxy on this machine with
 * default settings may look the same, with a local peer and Host and no further header.
 */
export function looksLocal({
  headers,
  socket,
}: {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined };
}): boolean {
  return (
    isLoopbackAddress(socket.remoteAddress ?? '') &&
    isLoopbackHost(hostName(headers.host)) &&
    !Object.keys(headers).some((name) => FORWARDING.test(name))
  );
}

function isSecret(given: string | undefined, secret: string): boolean {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Identifies the secret without revealing it; each start of the server has another secret. */
const markOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url').slice(0, 16);

/** Whether this browser can open the outbox, so that the console may link to it. */
export function hasOpenedOutbox({ outboxSecret }: Pick<Services, 'outboxSecret'>, c: Context<AppEnv>): boolean {
  return looksLocal(c.env.incoming) && getCookie(c, OPENED_COOKIE) === markOf(outboxSecret);
}

/**
 * Shows unsent mails, newest first, to anybody with the link that the server prints at its start; 404 for everybody
 * else. The link sets a cookie, and redirects to an address without the secret, so that the secret does not stay on the
 * screen. Logs name only the route.
 */
export function outboxRoutes(services: Services, pages: Pages): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  if (!hasOutboxPage(services)) return routes;
  const secret = services.outboxSecret;
  const isLetIn = (c: Context<AppEnv>, given: string | undefined): boolean =>
    c.req.method === 'GET' && looksLocal(c.env.incoming) && isSecret(given, secret);

  // All methods, so that a 405 does not reveal that the page exists.
  routes.all(`${OUTBOX_PATH}/:secret`, (c) => {
    if (!isLetIn(c, c.req.param('secret'))) throw notFound();
    const secure = services.publicUrl().startsWith('https:');
    const kept = { httpOnly: true, sameSite: 'Strict', secure } as const;
    setCookie(c, COOKIE, secret, { path: OUTBOX_PATH, ...kept });
    setCookie(c, OPENED_COOKIE, markOf(secret), { path: '/', ...kept });
    c.header('cache-control', 'no-store');
    return c.redirect(OUTBOX_PATH, 303);
  });

  routes.all(OUTBOX_PATH, async (c) => {
    if (!isLetIn(c, getCookie(c, COOKIE))) throw notFound();
    const mails = await services.db.selectFrom('outbox').selectAll().orderBy('position', 'desc').limit(SHOWN).execute();
    c.header('cache-control', 'no-store');
    const bar = topBar(services, 'outbox', [{ href: '/', text: 'Back to the console' }]);
    return sendDocument(c, services, pages, {
      title: `Outbox · ${services.config.productName}`,
      body: `${bar}<main class="narrow"><h1>Outbox</h1>
<p class="muted">No mail server is set (SMTP_URL), so mails stay here, newest first.
Only the link that the server printed at its start opens them.</p>
${mails.map(mailHtml).join('\n') || '<p>No mails yet.</p>'}</main>`,
    });
  });
  return routes;
}

function mailHtml(mail: { recipient: string; subject: string; body_text: string; created_at: Date }): string {
  const time = mail.created_at.toISOString();
  return `<article class="card"><h2>${escapeHtml(mail.subject)}</h2>
<p class="muted">To ${escapeHtml(mail.recipient)}, <time datetime="${time}">${momentOf(mail.created_at)}</time></p>
<div class="mail">${withLinks(mail.body_text)}</div></article>`;
}

function withLinks(text: string): string {
  return text
    .split(/(https?:\/\/\S+)/)
    .map((piece, index) => {
      const safe = escapeHtml(piece);
      return index % 2 === 1 ? `<a href="${safe}" rel="noreferrer">${safe}</a>` : safe;
    })
    .join('');
}
