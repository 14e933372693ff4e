/** What is mailed as an organization is deleted. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { runCommand } from '#server/app/admin/commands.ts';
import { postEntry, lockAccount } from '#server/money/ledger/accounts.ts';
import { issueReceipt } from '#server/money/ledger/receipts.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { mailDeletion } from '#server/money/payments/gone-letter.ts';
import { momentOf } from '#server/identity/accounts/mails.ts';
import { colleague } from '../../people.ts';
import { Paying } from './paying.ts';

const paying = new Paying();
const { pay, use, tell, letters } = paying;
const parts = () => ({ ...paying.server.services, limitDefaults: LIMIT_DEFAULTS });

const listed = async (): Promise<string[]> => {
  const rows = await paying.db
    .selectFrom('receipts')
    .select(['kind', 'series', 'number', 'at', 'total_micros'])
    .where('organization_id', '=', paying.ada.organizationId)
    .orderBy('at', 'desc')
    .orderBy('number', 'desc')
    .execute();
  return rows.map(
    ({ kind, series, number, at, total_micros }) =>
      `${kind === 'receipt' ? 'Receipt' : 'Credit note'} ${series}-${String(number).padStart(6, '0')}, ${momentOf(at)}: ${total_micros / 1_000_000}.00 USD`,
  );
};

it('PAY-21: owners and who looks after billing are told by whom, what was lost, and which receipts there were', async () => {
  const { server, ada } = paying;
  const [accountant, admin, other] = [
    await colleague(server, ada, 'billing'),
    await colleague(server, ada, 'admin'),
    await colleague(server, ada, 'owner'),
  ];
  const paymentId = await pay();
  await tell({ type: 'refunded', paymentId, refundId: `re_${paymentId}`, amountMicros: 2_000_000 });
  await use(1_500_000);
  const receipts = await listed();
  expect(receipts.map((line) => line.replace(/-.*:/, ':'))).toEqual([
    'Credit note TEST: 2.00 USD',
    'Receipt TEST: 5.00 USD',
  ]);
  expect((await paying.remove()).status).toBe(204);
  for (const { email } of [ada, accountant, other]) {
    expect((await letters(email)).at(-1)).toEqual({
      subject: 'Your organization was deleted – Parlance',
      body_text: `Test organization was deleted by ${ada.email}, with all of its projects. Its balance of 11.5 USD was lost. Its receipts can't be opened any more. Ask the seller for copies of them by their numbers:

${receipts.join('\n')}

${server.url}/

Nothing is charged for it any more.

You're receiving this because you owned the organization Test organization, or looked after its billing.
`,
    });
  }
  expect(await letters(admin.email)).toEqual([]);
  // The operator has a copy of each.
  const [note = '', receipt = ''] = receipts.map((line) => /TEST-R-\d+/.exec(line)?.[0]);
  const { text } = await runCommand(parts(), ['receipt', 'show', note]);
  expect(text).toMatch(new RegExp(`^Credit note ${note}  .*\nrefers to .* Receipt ${receipt}\n`));
  expect(text).toMatch(/mode +test: no money was moved\n[^]*total +2\.00 USD$/);
  await expect(runCommand(parts(), ['receipt', 'show', 'R-1x'])).rejects.toThrow('There is no receipt "R-1x".');
});

it('PAY-21: without money and receipts there is little to tell', async () => {
  await use(10_000_000);
  expect((await paying.remove()).status).toBe(204);
  const [letter] = await letters();
  expect(letter?.body_text).toMatch(
    new RegExp(`^Test organization was deleted by ${paying.ada.email}, with all of its projects.\n\nhttp`),
  );
});

it('PAY-21: a deletion that is refused tells nobody', async () => {
  expect((await paying.call('DELETE', '')).status).toBe(409);
  expect(await letters()).toEqual([]);
});

it('PAY-21: of more than fifty receipts the latest are listed, and how many more there are', async () => {
  const { organizationId } = paying.ada;
  const { services } = paying.server;
  const config = { ...services.config, supportEmail: 'help@example.com' };
  await paying.db.transaction().execute(async (trx) => {
    await lockAccount(trx, organizationId);
    for (let count = 0; count < 53; count += 1) {
      const at = new Date(Date.UTC(2026, 0, 1 + count));
      const cause = `payment:${randomUUID()}`;
      await postEntry(trx, { organizationId, kind: 'payment', micros: 1_000_000, cause, description: 'Payment', at });
      await issueReceipt(trx, cause, config);
    }
    await mailDeletion(
      trx,
      { ...services, config },
      { organizationId, by: 'bob@example.com', forfeitedMicros: -1_000_000 },
    );
  });
  const receipts = await listed();
  const row = await paying.db
    .selectFrom('outbox')
    .select(['body_text', 'body_html'])
    .where('recipient', '=', paying.ada.email)
    .executeTakeFirstOrThrow();
  expect(row.body_text.split('\n').filter((line) => /^(Receipt|and) /.test(line))).toEqual([
    ...receipts.slice(0, 50),
    'and 3 more',
  ]);
  expect(row.body_text).toContain(
    "What it owed, 1 USD, was written off. Its receipts can't be opened any more. Ask the seller (help@example.com) for",
  );
  expect(row.body_html?.match(/<li>/g)).toHaveLength(51);
  expect(row.body_html).toContain(`<li>${receipts[0]}</li>`);
});
