import { Hono, type Context } from 'hono';
import { receiptTitle, type ReceiptKind } from '#contract/transactions.ts';
import type { AppEnv } from '../http/env.ts';
import { momentOf } from '../identity/accounts/mails.ts';
import { inUsd } from '../money/billing/amounts.ts';
import { readReceipt, RECEIPT_PAGE, type Receipt } from '../money/billing/receipts.ts';
import type { Services } from '../platform/context.ts';
import { escapeHtml } from '../platform/html.ts';
import { sendDocument, topBar } from './document-page.ts';
import type { Pages } from './pages.ts';
import { orMissingPage } from './refusal-page.ts';

/** Receipts, each at a signed address (PAY-07). */
export function receiptRoutes(services: Services, pages: Pages): Hono<AppEnv> {
  const show = async (c: Context<AppEnv, `${typeof RECEIPT_PAGE}/:token`>): Promise<Response> => {
    const receipt = await readReceipt(services, c.req.param('token'));
    c.header('cache-control', 'no-store');
    c.header('x-robots-tag', 'noindex');
    const title = receiptTitle(receipt);
    return sendDocument(c, services, pages, {
      title: `${title} · ${services.config.productName}`,
      body: `${topBar(services, '', [{ href: '/', text: 'Open the console' }])}<main class="narrow receipt"><h1>${escapeHtml(title)}</h1>${contents(receipt, services)}</main>`,
    });
  };
  return new Hono<AppEnv>().get(`${RECEIPT_PAGE}/:token`, (c) => orMissingPage(c, services, pages, () => show(c)));
}

/** `taxRate` is in thousandths of a percent. */
const THOUSANDTHS = 1000;

/** Label of the total. */
const TOTALS: Readonly<Record<ReceiptKind, string>> = {
  receipt: 'Total paid',
  credit_note: 'Total refunded',
  reversal: 'Total charged again',
};

/** What the amount is for. */
const BOUGHT: Readonly<Record<ReceiptKind, string>> = {
  receipt: 'Prepaid credit',
  credit_note: 'Prepaid credit given back',
  reversal: 'Prepaid credit kept',
};

const lines = (...texts: string[]): string => escapeHtml(texts.filter(Boolean).join('\n')).replaceAll('\n', '<br>');

/** The parties, the amounts, and the receipt or credit note that this one refers to. */
function contents(receipt: Receipt, { config }: Services): string {
  const amount = `${inUsd(receipt.totalMicros)} USD`;
  const details: [string, string][] = [
    ['Date', lines(momentOf(receipt.at).replace(' UTC', '\u00a0UTC'))],
    ...(receipt.refersTo === null ? [] : [['Refers to', lines(receiptTitle(receipt.refersTo))] as [string, string]]),
    ...(receipt.earlierNumber === null
      ? []
      : [['Former receipt number', lines(receipt.earlierNumber)] as [string, string]]),
    ...(receipt.paidWith === null ? [] : [['Paid with', lines(receipt.paidWith)] as [string, string]]),
    ['Seller', lines(...receipt.seller, config.supportEmail ?? '')],
    [
      'Customer',
      lines(
        receipt.name || receipt.organization,
        receipt.address,
        receipt.taxId === '' ? '' : `Tax ID: ${receipt.taxId}`,
      ),
    ],
  ];
  const note = receipt.isTest ? '<p class="note"><strong>TEST MODE:</strong> no money was moved.</p>' : '';
  const amountRow = (name: string, micros: number): string =>
    `<tr><th scope="row">${name}</th><td class="amount">${inUsd(micros)} USD</td></tr>`;
  const sums =
    receipt.taxRate === null
      ? ''
      : amountRow('Net', receipt.netMicros) + amountRow(`Tax ${receipt.taxRate / THOUSANDTHS}%`, receipt.taxMicros);
  const taxNote = receipt.taxNote === '' ? '' : `<p>${lines(receipt.taxNote)}</p>`;
  return `${note}<dl class="parties">${details.map(([name, html]) => `<div><dt>${name}</dt><dd>${html}</dd></div>`).join('')}</dl>
<table aria-label="Amounts"><thead><tr><th scope="col">Description</th><th scope="col" class="amount">Amount</th></tr></thead>
<tbody><tr>
<td>${BOUGHT[receipt.kind]}<br><span class="muted">${lines(receipt.description)}, for ${lines(receipt.organization)}</span></td>
<td class="amount">${amount}</td>
</tr></tbody>
<tfoot>${sums}<tr><th scope="row">${TOTALS[receipt.kind]}</th><td class="amount">${amount}</td></tr></tfoot></table>${taxNote}`;
}
