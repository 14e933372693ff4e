import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import type { Services } from '../context.ts';
import type { AppEnv } from '../http/env.ts';
import { isLoopback } from '../http/guards.ts';
import { escapeHtml } from './html.ts';

export const OUTBOX_PATH = '/outbox';
const SHOWN = 50;

/** The outbox stands in for the post only where no one but the person at this machine can open it. */
export function hasOutboxPage(services: Services): boolean {
  return services.config.smtpUrl === undefined && isLoopback(services.config.host);
}

/** The mails that would have been sent, newest first. */
export function outboxRoutes(services: Services): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  if (!hasOutboxPage(services)) return routes;
  return routes.get(OUTBOX_PATH, async (c) => {
    const letters = await services.db.selectFrom('outbox').selectAll().orderBy('position', 'desc').limit(SHOWN).execute();
    const nonce = randomBytes(16).toString('base64');
    c.header('content-security-policy', `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`);
    c.header('cache-control', 'no-store');
    return c.html(`<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Outbox</title>
<style nonce="${nonce}">:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:45rem;margin:2rem auto;padding:0 1rem}article{border-top:1px solid;padding:1rem 0}pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit}</style></head>
<body><h1>Outbox</h1><p>No mail server is set (SMTP_URL), so mails stay here.</p>
${letters.map(letterHtml).join('\n') || '<p>No mails yet.</p>'}</body></html>`);
  });
}

function letterHtml(letter: { recipient: string; subject: string; body_text: string; created_at: Date }): string {
  const time = letter.created_at.toISOString();
  return `<article><h2>${escapeHtml(letter.subject)}</h2><p>To ${escapeHtml(letter.recipient)}, <time datetime="${time}">${time}</time></p><pre>${withLinks(letter.body_text)}</pre></article>`;
}

function withLinks(text: string): string {
  return text.split(/(https?:\/\/\S+)/).map((piece, index) => {
    const safe = escapeHtml(piece);
    return index % 2 === 1 ? `<a href="${safe}" rel="noreferrer">${safe}</a>` : safe;
  }).join('');
}
