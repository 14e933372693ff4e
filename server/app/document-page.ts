/** Pages that the server itself writes, in the console's fonts and colours, such as the API reference (DOC-03). */
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import type { AppEnv } from '../http/env.ts';
import { consolePolicy } from '../http/csp.ts';
import type { Services } from '../platform/context.ts';
import { escapeHtml } from '../platform/html.ts';
import type { Pages } from './pages.ts';

/** The contents of a page. `body` is HTML. */
export interface Document {
  title: string;
  body: string;
  /** Whether the page has a form. */
  hasForm?: boolean;
}

/** The frame without styles, for a server whose console is not built. */
const PLAIN = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title><!--title--></title></head><body><!--content--></body></html>`;
/** Content security policy: only files of this server, no inline scripts. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const policyFor = (hasForm: boolean): string =>
  hasForm ? POLICY.replace("form-action 'none'", "form-action 'self'") : POLICY;

/** A script that applies the console's theme before the page is painted. */
export const themeScript = ({ config }: Pick<Services, 'config'>): string =>
  `<script src="/theme.js" data-key="${escapeHtml(config.product)}_preferences"></script>`;

/** Answers with a page in the build's frame. */
export async function sendDocument(
  c: Context<AppEnv>,
  services: Services,
  pages: Pages,
  { title, body, hasForm = false }: Document,
): Promise<Response> {
  let frame = PLAIN;
  try {
    frame = await pages.html('document', c.req.url);
  } catch (error) {
    services.log.warn({ err: error }, 'the frame of a page cannot be read; the page is sent without styles');
  }
  const nonce = randomBytes(16).toString('base64');
  const host = c.req.header('host') ?? '';
  c.header(
    'content-security-policy',
    pages.dev ? consolePolicy(services, { nonce, host, dev: true }) : policyFor(hasForm),
  );
  return c.html(
    frame
      .replace('<!--title-->', () => escapeHtml(title))
      .replace('<!--theme-->', () => themeScript(services))
      .replace('<!--content-->', () => body)
      .replaceAll('__CSP_NONCE__', nonce),
  );
}

/** The bar on top: the product's name and links; marks the link of the open page. */
export function topBar(
  { config }: Pick<Services, 'config'>,
  name: string,
  links: readonly { href: string; text: string; isOpen?: boolean }[],
): string {
  const items = links.map(
    ({ href, text, isOpen }) =>
      `<li><a href="${escapeHtml(href)}"${isOpen ? ' aria-current="page"' : ''}>${escapeHtml(text)}</a></li>`,
  );
  const title = escapeHtml(`${config.productName} ${name}`);
  return `<header class="top"><span class="logo"><img src="/icon.svg" alt="" width="28" height="28">${title}</span>
<nav aria-label="Pages"><ul>${items.join('')}</ul></nav></header>`;
}
