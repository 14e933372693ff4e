import { enter, expect, expectAccessible, testWith, type Page, pressEscape } from './fixtures.ts';
import { chooseDays, periodOf } from './filters.ts';
import { createPlace } from './metered.ts';

const test = testWith({ STARTING_CREDIT: '0' });

/** The overview of an organization of its own. */
async function openOverview(page: Page, url: string): Promise<string> {
  const account = await enter(page);
  const { organization } = await createPlace(url, account, { credit: false });
  const overview = `${organization}billing/overview/`;
  await page.goto(overview);
  await expect(page.getByRole('region', { name: 'Balance' })).toContainText('$0.00');
  return overview;
}

/** Begins a payment, up to the provider's page. */
async function beginPayment(page: Page, amount: string): Promise<void> {
  await page.getByRole('button', { name: 'Add to balance' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount in US dollars').fill(amount);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await dialog.getByRole('button', { name: /^Pay \$/ }).click();
  await page.waitForURL('**/billing/test-payment/**');
}

const payBy = async (page: Page, card: RegExp) => {
  await page.getByRole('radio', { name: card }).check();
  await page.getByRole('button', { name: 'Pay' }).click();
};

test('BIX-02 BIX-03 UXP-65: an empty balance says what follows and what to do; focus returns; the address has the period', async ({
  page,
  server,
}) => {
  const overview = await openOverview(page, server.url);
  await expect(page.getByText('Test mode: no money moves.')).toBeVisible();
  await expect(page.getByText('Your balance is empty.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'How you pay' })).toContainText('Off');
  await expect(page.getByText('No payments yet.')).toBeVisible();
  const spending = page.getByRole('region', { name: 'Spending' });
  await expect(spending).toContainText('UTC');
  await expectAccessible(page);
  const opener = page.getByRole('button', { name: 'Add to balance' });
  await opener.press('Enter');
  await expect(page.getByLabel('Amount in US dollars')).toBeFocused();
  await pressEscape(page);
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(opener).toBeFocused();

  await test.step('BIL-04: one that there is not falls back to this month', async () => {
    await page.goto(`${overview}?start_date=2026-03-05&end_date=2026-03-01`);
    await expect(page.getByText("That date range isn't valid.")).toBeVisible();
    await expect(page).toHaveURL(/\/overview\/$/);
    await expect(periodOf(page)).toContainText('This month');
    await chooseDays(page, '2026-03-01', '2026-03-05');
    await expect(page).toHaveURL(/\?start_date=2026-03-01&end_date=2026-03-05$/);
    await expect(spending).toContainText('Mar 1 – 5, 2026 (UTC)');
    await page.reload();
    await expect(spending).toContainText('Mar 1 – 5, 2026 (UTC)');
  });
});

test('BIL-06: a payment checks its amount, asks for confirmation, and shows its outcome after a reload too @gate', async ({
  page,
  server,
}) => {
  const overview = await openOverview(page, server.url);
  await page.getByRole('button', { name: 'Add to balance' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount in US dollars').fill('4.99');
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog.getByText('Pay at least $5.00.')).toBeVisible();
  await dialog.getByRole('button', { name: '$25' }).click();
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(dialog).toContainText('$25.00');
  await expectAccessible(page);
  await expect(dialog.getByRole('group', { name: 'You pay $25.00' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Pay $25.00' }).click();
  await expect(page.getByRole('heading', { name: 'Pay $25.00' })).toBeVisible();
  await payBy(page, /4242 4242/);
  const outcome = page.getByRole('status', { name: 'Payment', exact: true });
  await expect(outcome).toContainText('Payment of $25.00 succeeded.');
  await expect(page.getByRole('region', { name: 'Balance' })).toContainText('$25.00');
  await expect(page.getByRole('table', { name: 'Last payments' })).toContainText('$25.00');
  await expect(page.getByText('Your balance is empty.')).toHaveCount(0);
  await page.reload();
  await expect(outcome).toContainText('Payment of $25.00 succeeded.');
  await expectAccessible(page);
  await outcome.getByRole('button', { name: 'Dismiss' }).click();
  await expect(page).toHaveURL(`${server.url}${overview}`);
  await expect(outcome).toBeHidden();
});

test('BIL-06 BIX-04: a card that is declined, a payment that is canceled, and one that fails later', async ({
  page,
  server,
}) => {
  const overview = await openOverview(page, server.url);
  await beginPayment(page, '10');
  await payBy(page, /declined/);
  await expect(page.getByRole('alert')).toContainText('declined');
  // Back without a word to the provider, and once more: the same payment waits.
  const [address] = page.url().split('?');
  await page.goto(overview);
  const outcome = page.getByRole('status', { name: 'Payment', exact: true });
  await beginPayment(page, '10.00');
  expect(page.url()).toBe(address);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(outcome).toContainText('Payment of $10.00 canceled.');
  // It is over: the same amount is another payment.
  await beginPayment(page, '10');
  expect(page.url()).not.toBe(address);
  await payBy(page, /fails a few seconds later/);
  await expect(outcome).toContainText('Payment of $10.00 failed.');
  await expect(outcome).toContainText('The bank returned the payment.');
  await expect(page.getByRole('region', { name: 'Balance' })).toContainText('$0.00');
});

test('BIL-05 BIL-07: a payment method is set up, autopay is turned on with it, and both go @gate', async ({
  page,
  server,
}) => {
  const overview = await openOverview(page, server.url);
  const setup = overview.replace('overview', 'payment-setup');
  await page.goto(setup);
  const method = page.getByRole('region', { name: 'Payment method' });
  const autopay = page.getByRole('region', { name: 'Autopay' });
  await expect(autopay).toContainText('Add a payment method to turn autopay on.');
  await method.getByRole('button', { name: 'Set up payment method' }).click();
  await page.getByRole('radio', { name: /4242 4242/ }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('status', { name: 'Payment', exact: true })).toContainText('Payment method saved.');
  await expect(method).toContainText('Visa ending in 4242');
  await expect(method).toContainText('12/2099');
  await autopay.getByLabel('Charge automatically').check();
  await autopay.getByLabel('When the balance falls below (USD)').fill('1.5');
  await autopay.getByLabel('Charge (USD)').fill('3');
  await autopay.getByRole('button', { name: 'Save autopay' }).click();
  await expect(autopay).toContainText('Pay at least $5.00.');
  await autopay.getByLabel('Charge (USD)').fill('30');
  await autopay.getByRole('button', { name: 'Save autopay and charge $30.00' }).click();
  await expect(page.getByText('Success! Autopay was turned on.')).toBeVisible();
  await expect(autopay.getByLabel('When the balance falls below (USD)')).toHaveValue('1.50');
  await expectAccessible(page);
  await page.goto(overview);
  // Nothing was left: it has charged at once.
  await expect(page.getByRole('region', { name: 'Balance' })).toContainText('$30.00');
  await expect(page.getByRole('region', { name: 'How you pay' })).toContainText(
    'Charges at least $30.00 when the balance falls below $1.50, or is too low for a request.',
  );
  await page.goto(setup);
  await method.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(method).toContainText('No payment method yet.');
  await expect(page.getByText('Payment method saved.')).toHaveCount(0);
  await expect(autopay.getByRole('button')).toHaveText(['Add a payment method']);
  await expect(autopay).toContainText('Add a payment method to turn autopay on.');
});

test('BIL-05 BIX-03: a charge that is declined is told with its next try, and can be reset @gate', async ({
  page,
  server,
}) => {
  const overview = await openOverview(page, server.url);
  await page.goto(overview.replace('overview', 'payment-setup'));
  await page.getByRole('button', { name: 'Set up payment method' }).click();
  await page.getByRole('radio', { name: /Needs a confirmation/ }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByLabel('Charge automatically').check();
  await page.getByRole('button', { name: 'Save autopay' }).click();
  await expect(page.getByText('The last charge failed.')).toBeVisible();
  await expect(page.getByText(/Autopay tries again on .* UTC\./)).toBeVisible();
  await expect(page.getByRole('status', { name: 'Payment', exact: true })).toContainText(
    'Autopay uses it for its next charge.',
  );
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await expect(page.getByText('The last charge failed.')).toHaveCount(0);
});

test('BIX-07: what has stopped autopay is told by its kind, on the overview and in the payment setup', async ({
  page,
  server,
}) => {
  const overview = await openOverview(page, server.url);
  const setup = overview.replace('overview', 'payment-setup');
  const at = '2026-04-15T10:00:00.000Z';
  const others = [{ message: 'Nobody knows.', at }];
  const error = { why: 'refunded', message: 'It was stopped.', at, next_try_at: null, others, version: 'v1' };
  await page.route(/\/(payment\/status|billing\/overview)\/(\?.*)?$/, async (route) => {
    if (route.request().resourceType() !== 'fetch') return route.continue();
    const answer = await route.fetch();
    return route.fulfill({ response: answer, json: { ...(await answer.json()), error } });
  });
  await page.goto(overview);
  await expect(page.getByText('Autopay has stopped after a refund.')).toBeVisible();
  await page.getByRole('link', { name: 'Open payment setup' }).first().click();
  await page.waitForURL(setup);
  await expect(page.getByText('Autopay has stopped after a refund.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Reset and continue' })).toBeVisible();
  await expect(page.getByText('Apr 15, 2026, 10:00 UTC: Nobody knows.')).toBeVisible();
  await expectAccessible(page);
});

test('BIX-05: whom receipts are made out to is kept', async ({ page, server }) => {
  const overview = await openOverview(page, server.url);
  await page.goto(overview.replace('overview', 'payment-setup'));
  const details = page.getByRole('region', { name: 'Billing details' });
  await details.getByLabel('Name').fill('Acme Ltd.');
  await details.getByLabel('Address').fill('1 Main Street\nSpringfield');
  await details.getByLabel('Tax ID').fill('GB123456789');
  await details.getByRole('button', { name: 'Save details' }).click();
  await expect(page.getByText('Success! Billing details were saved.')).toBeVisible();
  await page.reload();
  await expect(details.getByLabel('Address')).toHaveValue('1 Main Street\nSpringfield');
  await expect(details.getByLabel('Tax ID')).toHaveValue('GB123456789');
});

test('BIL-06 BIX-04: who comes back before the provider has told anything waits for it, over a reload, too', async ({
  page,
  server,
}) => {
  await openOverview(page, server.url);
  await beginPayment(page, '15');
  await payBy(page, /hears of it a few seconds later/);
  const outcome = page.getByRole('status', { name: 'Payment', exact: true });
  await expect(outcome).toContainText('Confirming your payment…');
  await expect(page.getByRole('region', { name: 'Balance' })).toContainText('$0.00');
  await page.reload();
  await expect(outcome).toContainText('Confirming your payment…');
  await expect(outcome).toContainText('Payment of $15.00 succeeded.');
  await expect(page.getByRole('region', { name: 'Balance' })).toContainText('$15.00');
});

test('BIX-04: pressed twice, and in two tabs, it is one payment', async ({ page, server }) => {
  const overview = await openOverview(page, server.url);
  const other = await page.context().newPage();
  await other.goto(overview);
  await beginPayment(page, '12');
  const address = page.url();
  await other.getByRole('button', { name: 'Add to balance' }).click();
  await other.getByLabel('Amount in US dollars').fill('12.00');
  await other.getByRole('button', { name: 'Continue' }).click();
  const sent: string[] = [];
  other.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/payment/')) sent.push(request.url());
  });
  await other.getByRole('button', { name: 'Pay $12.00' }).dblclick();
  await other.waitForURL('**/billing/test-payment/**');
  expect(other.url()).toBe(address);
  expect(sent).toHaveLength(1);
  await payBy(page, /4242 4242/);
  await expect(page.getByRole('status', { name: 'Payment', exact: true })).toContainText(
    'Payment of $12.00 succeeded.',
  );
  // It is over: its page leads back, and shows what became of it.
  await other.getByRole('button', { name: /^Pay/ }).click();
  await expect(other.getByRole('status', { name: 'Payment', exact: true })).toContainText(
    'Payment of $12.00 succeeded.',
  );
  await expect(other.getByRole('region', { name: 'Balance' })).toContainText('$12.00');
});

test('BIX-06: the dashboard says that nothing is left, with a link for who may pay @gate', async ({ page, server }) => {
  const overview = await openOverview(page, server.url);
  await page.goto(overview.replace('billing/overview/', ''));
  await expect(page.getByText('The balance of this organization is empty.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Add to the balance' }).click();
  await expect(page).toHaveURL(new RegExp(`${overview}$`));
});
