/** The transactions of one kind, and all of them as a file. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TransactionPage, type Transaction } from '#contract/transactions.ts';
import { postDays } from '#server/money/ledger/posting.ts';
import { transactionsCsv } from '#server/money/billing/transactions-csv.ts';
import { readCsv } from '#test/csv.ts';
import { CREDIT, Served } from '../served.ts';

const served = new Served();
const { ask, call, give, use } = served;
const page = (query = '') => ask(TransactionPage, 'GET', `billing/transactions/?return_total=true&${query}`);

/** Three posted days of usage, a gift, and usage of today. */
async function fill(): Promise<void> {
  for (const [day, micros] of [1000, 2000, 30].entries()) await use(micros, new Date(`2026-05-0${day + 1}T12:00:00Z`));
  await postDays(served.db, new Date('2026-07-01T00:00:00Z'));
  await give(5);
  await use(11);
}

describe('BIL-08: transactions of a kind', () => {
  it('are paged and counted among themselves; the balance is that of all', async () => {
    await fill();
    const amounts = async (query: string) => {
      const { transactions, ...rest } = await page(query);
      return { ...rest, amounts: transactions.map(({ amount_micros }) => amount_micros) };
    };
    const now = { unposted_micros: 11, balance_micros: CREDIT - 3030 + 5 - 11 };
    expect(await amounts('')).toEqual({ ...now, total: 5, amounts: [5, -30, -2000, -1000, CREDIT] });
    expect(await amounts('kind=usage&limit=2')).toEqual({ ...now, total: 3, amounts: [-30, -2000] });
    expect(await amounts('kind=usage&limit=2&offset=2')).toEqual({ ...now, total: 3, amounts: [-1000] });
    expect(await amounts('kind=refund')).toEqual({ ...now, total: 0, amounts: [] });
    expect((await call('GET', 'billing/transactions/?kind=gift')).status).toBe(400);
  });
});

describe('BIL-08: transactions as CSV', () => {
  const download = async (query: string) => {
    const answer = await call('GET', `billing/transactions/export/${query}`);
    const name = /filename="(.*)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
    return { name, type: answer.headers.get('content-type'), rows: readCsv(await answer.text()) };
  };

  it('hold what the list shows, with plain words and US dollars, of the kind; not what is not posted yet', async () => {
    await fill();
    const { rows, name, type } = await download('');
    expect([name, type]).toEqual([
      expect.stringMatching(/^transactions-\d{4}-\d\d-\d\d\.csv$/),
      'text/csv; charset=utf-8',
    ]);
    const { transactions } = await page();
    expect(rows.map((row) => row['Transaction id'])).toEqual(transactions.map(({ uuid }) => uuid));
    expect(rows.slice(0, 2)).toEqual([
      {
        'Time (UTC)': transactions[0]?.at.slice(0, 19).replace('T', ' '),
        Kind: 'Credit',
        Description: 'Thanks',
        'Amount (USD)': '0.000005',
        'Balance after (USD)': '9.996975',
        Receipt: '',
        'Posted (UTC)': transactions[0]?.at.slice(0, 19).replace('T', ' '),
        'Transaction id': transactions[0]?.uuid,
      },
      expect.objectContaining({
        'Time (UTC)': '2026-05-03',
        Kind: 'Usage',
        'Amount (USD)': '-0.00003',
        Description: 'Usage on May 3, 2026 (UTC)',
      }),
    ]);
    const usage = await download('?kind=usage');
    expect(usage.name).toMatch(/^transactions-usage-/);
    expect(usage.rows.map((row) => row['Amount (USD)'])).toEqual(['-0.00003', '-0.002', '-0.001']);
    expect((await download('?kind=fee')).rows).toEqual([]);
    expect((await call('GET', 'billing/transactions/export/?kind=gift')).status).toBe(400);
  });

  it('are in order and whole over many pieces', async () => {
    const { organizationId: organization_id } = served.ada;
    const one = {
      organization_id,
      kind: 'credit',
      balance_after_micros: 0,
      description: 'Thanks',
      at: served.now(),
    } as const;
    const added = Array.from({ length: 1200 }, (_, n) => ({ ...one, amount_micros: n + 1, cause: randomUUID() }));
    await served.db.insertInto('ledger_entries').values(added).execute();
    const { rows } = await download('?kind=credit');
    expect(rows.map((row) => Math.round(Number(row['Amount (USD)']) * 1_000_000))).toEqual([
      ...added.map(({ amount_micros }) => amount_micros).toReversed(),
      CREDIT,
    ]);
  });

  it('break off where a read fails, so that a part is not taken for all', async () => {
    const told: unknown[] = [];
    const gone = new Error('The database is gone.');
    async function* pieces(): AsyncGenerator<Transaction[]> {
      yield [];
      throw gone;
    }
    const stream = transactionsCsv(pieces(), (error) => told.push(error));
    await expect(new Response(stream).text()).rejects.toThrow('The database is gone.');
    expect(told).toEqual([gone]);
  });
});
