import { Hono } from 'hono';
import type { AppEnv } from '../http/env.ts';
import { momentOf } from '../identity/accounts/mails.ts';
import { readReceipt, RECEIPT_PAGE, type Receipt } from '../money/billing/receipts.ts';
import type { Services } from '../platform/context.ts';
import { escapeHtml } from '../platform/html.ts';
import { inUsd } from './amounts.ts';
import { sendDocument, topBar } from './document-page.ts';
import type { Pages } from './pages.ts';

/** Receipts, for who has the signed address of one (PAY-07). */
export function receiptRoutes(services: Services, pages: Pages): Hono<AppEnv> {
  return new Hono<AppEnv>().get(`${RECEIPT_PAGE}/:token`, async (c) => {
    const receipt = await readReceipt(services, c.req.param('token'));
    c.header('cache-control', 'no-store');
    c.header('x-robots-tag', 'noindex');
    const title = receipt.kind === 'payment' ? 'Receipt' : 'Credit note';
    return sendDocument(c, services, pages, {
      title: `${title} ${receipt.number} · ${services.config.productName}`,
      body: `${topBar(services, title.toLowerCase(), [])}<main class="narrow"><h1>${title} ${escapeHtml(receipt.number)}</h1>${table(receipt, services)}</main>`,
    });
  });
}

function table(receipt: Receipt, { config }: Services): string {
  const isTest = config.stripe === undefined;
  const rows: [string, string][] = [
    ['Date', momentOf(receipt.at)],
    ['Seller', [...config.seller, config.supportEmail ?? ''].filter(Boolean).join('\n')],
    ['Customer', [receipt.name || receipt.organization, receipt.address].filter(Boolean).join('\n')],
    ...(receipt.taxId === '' ? [] : [['Tax id', receipt.taxId] as [string, string]]),
    ['For', receipt.description],
    ['Amount', `${inUsd(receipt.amountMicros)} USD`],
    ...(isTest ? [['Note', 'TEST MODE: no money was moved.'] as [string, string]] : []),
  ];
  const lines = (text: string): string => escapeHtml(text).replaceAll('\n', '<br>');
  return `<table><tbody>${rows.map(([name, text]) => `<tr><th scope="row">${name}</th><td>${lines(text)}</td></tr>`).join('')}</tbody></table>`;
}
