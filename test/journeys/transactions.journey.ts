import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { TransactionPage } from '#contract/transactions.ts';
import { columnFormat } from '#src/views/ui/figures.ts';
import { billingOf, failOnce, fitsIn, status, test } from './billed.ts';
import { enter, expect, expectAccessible } from './fixtures.ts';
import { readCsv } from '../csv.ts';
import { call } from './people.ts';

// What the browser itself says about calls that fail once.
test.use({ allowed: [/status of 500/] });

test('BIL-08 NAV-05 NAV-07: transactions page by page, as the address tells, with plain names and signed amounts @gate', async ({
  page,
  billed,
}) => {
  const owner = await enter(page);
  const path = `${billingOf(billed)}transactions/`;
  const answer = await call(
    billed.server.url,
    owner,
    'GET',
    `organizations/${billed.orgUuid}/billing/transactions/?limit=1000&return_total=true`,
  );
  const { transactions, total } = v.parse(TransactionPage, await answer.json());
  expect(total).toBeGreaterThan(60);
  await page.goto(path);
  await expect(page).toHaveTitle(/^Transactions · /);
  await expect(page.getByText('Test mode: no money moves.')).toBeVisible();
  const rows = page.getByRole('table', { name: 'Transactions' }).getByRole('row');
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await expect(pages).toContainText(`1–50 of ${total}`);
  // Besides the head and 50 of them what was used today.
  await expect(rows).toHaveCount(52);
  await expect(rows.nth(1)).toContainText('Usage so far, posted after midnight (UTC)');
  await pages.getByRole('link', { name: 'Older' }).click();
  await expect(page).toHaveURL(/transactions\/\?offset=50$/);
  await expect(pages).toContainText(`51–${total} of ${total}`);
  await expect(rows).toHaveCount((total ?? 0) - 50 + 1);
  await expect(rows.last()).toContainText('Credit');
  await page.reload();
  await expect(pages).toContainText(`51–${total} of ${total}`);
  await page.goBack();
  await expect(pages).toContainText(`1–50 of ${total}`);

  await page.goto(`${path}?limit=100`);
  const writeAmount = columnFormat(
    transactions.map(({ amount_micros }) => amount_micros),
    { signDisplay: 'exceptZero' },
  );
  const writeBalance = columnFormat(transactions.map(({ balance_after_micros }) => balance_after_micros));
  for (const [kind, name] of [
    ['payment', 'Payment'],
    ['refund', 'Refund'],
    ['dispute', 'Dispute'],
    ['credit', 'Credit'],
    ['correction', 'Correction'],
    ['usage', 'Usage'],
  ] as const) {
    const place = transactions.findIndex((one) => one.kind === kind);
    const one = transactions[place];
    const row = rows.nth(place + 2);
    await expect(row.getByRole('cell').nth(0)).toHaveText(name);
    await expect(row.getByRole('cell').nth(2)).toHaveText(writeAmount(one?.amount_micros ?? 0));
    await expect(row.getByRole('cell').nth(3)).toHaveText(writeBalance(one?.balance_after_micros ?? 0));
    await expect(row.getByRole('button')).toHaveCount(kind === 'payment' || kind === 'refund' ? 2 : 0);
  }

  // One kind, in the address, on the screen and in the file.
  const kinds = page.getByRole('group', { name: 'Kind' });
  await kinds.getByRole('button', { name: 'Payment' }).click();
  await expect(page).toHaveURL(/transactions\/\?kind=payment&limit=100$/);
  const payments = transactions.filter((one) => one.kind === 'payment');
  await expect(pages).toContainText(`1–${payments.length} of ${payments.length}`);
  await expect(rows).toHaveCount(payments.length + 1);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download CSV' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^transactions-payment-\d{4}-\d\d-\d\d\.csv$/);
  const saved = readCsv(readFileSync(await file.path(), 'utf8'));
  expect(saved.map((row) => row['Transaction id'])).toEqual(payments.map(({ uuid }) => uuid));
  await kinds.getByRole('button', { name: 'Usage' }).click();
  await expect(rows.nth(1)).toContainText('Usage so far, posted after midnight (UTC)');
  await page.goto(`${path}?kind=gift`);
  await expect(status(page, "The address asks for a kind that doesn't exist.")).toBeVisible();

  // A page that is no more, and one that never was.
  await page.goto(`${path}?offset=5000&limit=20`);
  await expect(page.getByText("This page doesn't exist")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Go to the last page' }).click();
  await expect(pages).toContainText(`of ${total}`);
  await expect(rows.last()).toContainText('Starting credit');
  await page.goto(`${path}?offset=first`);
  await expect(status(page, "The address asks for a page that can't be shown.")).toBeVisible();
  await expect(pages).toContainText(`1–50 of ${total}`);
});

test('BIL-08 PAY-07: a receipt opens in a tab of its own and prints on one page @gate', async ({ page, billed }) => {
  await enter(page);
  await page.goto(`${billingOf(billed)}transactions/?limit=100`);
  const receipt = page.getByRole('button', { name: /^Receipt TEST-R-\d{6} of .+, opens in a new tab$/ }).first();
  await expect(receipt).toBeVisible();
  // The panel of the table cuts what sticks out.
  for (const width of [1280, 1024, 768, 320]) {
    await page.setViewportSize({ width, height: 740 });
    const sticksOut = await receipt.evaluate((button) => {
      const panel = button.closest('table')?.parentElement;
      return !panel || button.getBoundingClientRect().right > panel.getBoundingClientRect().right;
    });
    expect([width, sticksOut]).toEqual([width, false]);
  }
  const [tab] = await Promise.all([page.waitForEvent('popup'), receipt.click()]);
  await expect(tab.getByRole('heading', { name: /^Receipt TEST-R-\d{6}$/ })).toBeVisible();
  expect(await tab.evaluate(() => window.opener)).toBeNull();
  for (const part of ['25.00 USD', 'Billed', 'TEST MODE', 'Seller', 'Parlance'])
    await expect(tab.getByRole('main')).toContainText(part);
  expect(await fitsIn(tab)).toBe(true);
  await tab.emulateMedia({ media: 'print' });
  await expect(tab.getByRole('button', { name: 'Print' })).toBeHidden();
  const pdf = await tab.pdf({ format: 'A4' });
  expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  await tab.close();

  const [note] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: /^Credit note TEST-R-\d{6} of / }).click(),
  ]);
  await expect(note.getByRole('heading', { name: /^Credit note TEST-R-/ })).toBeVisible();
  await expect(note.getByRole('main')).toContainText('Total refunded5.00 USD');
  await note.close();

  // RCP-04: the address that somebody has works no more, once it is withdrawn; the next one does.
  const [given] = await Promise.all([page.waitForEvent('popup'), receipt.click()]);
  await given.waitForURL('**/billing/receipt/**');
  await page
    .getByRole('button', { name: /^Withdraw links to Receipt / })
    .first()
    .click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Withdraw' }).click();
  await expect(page.getByText(/^The links to Receipt TEST-R-\d{6} no longer work\./)).toBeVisible();
  expect((await page.request.get(given.url())).status()).toBe(404);
  await given.close();

  await failOnce(page, '**/receipt-url/');
  const [empty] = await Promise.all([page.waitForEvent('popup'), receipt.click()]);
  await expect(page.getByRole('alert').filter({ hasText: 'The receipt could not be opened.' })).toBeVisible();
  // The browser tells of it a moment later.
  await expect.poll(() => empty.isClosed()).toBe(true);
  await expectAccessible(page);
  // A browser that opens no tabs leaves it to a link.
  await page.evaluate(() => {
    window.open = () => null;
  });
  await receipt.click();
  await expect(page.getByRole('link', { name: 'Open the receipt' })).toHaveAttribute(
    'href',
    new RegExp(`^${billed.server.url}/billing/receipt/`),
  );
  await expectAccessible(page);
  expect(await fitsIn(page)).toBe(true);
});
