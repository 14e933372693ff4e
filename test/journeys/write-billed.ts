/**
 * Writes a past into the database of a server that is stopped: what projects used over two months, day by day, and the money that
 * came and went. `node --import tsx write-billed.ts DIRECTORY ORGANIZATION PROJECT…`
 */
import { randomUUID } from 'node:crypto';
import { daysAfter } from '#contract/usage.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { postEntry, lockAccount, type Entry } from '#server/money/ledger/accounts.ts';
import { postDays } from '#server/money/ledger/posting.ts';
import { issueReceipt } from '#server/money/ledger/receipts.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import { ended, writeUsage } from '../server/usage.ts';
import { writeWebhooks } from './write-webhooks.ts';

const DAYS = 60;
const [, , directory = '', organizationId = '', ...projects] = process.argv;

type Money = Pick<Entry, 'kind' | 'micros' | 'description'>;
const PAID: Money = { kind: 'payment', micros: 25_000_000, description: 'Payment' };
/** By how many days ago. */
const MONEY: Readonly<Record<number, Money>> = {
  60: { kind: 'credit', micros: 10_000_000, description: 'Starting credit' },
  50: PAID,
  40: { kind: 'refund', micros: -5_000_000, description: 'Refund' },
  30: { kind: 'payment', micros: 20_000_000, description: 'Payment by autopay' },
  20: { kind: 'dispute', micros: -20_000_000, description: 'Disputed payment' },
  10: { kind: 'dispute', micros: 20_000_000, description: 'Disputed payment, returned' },
  5: { kind: 'correction', micros: 1_234_567, description: 'Adjusted by support' },
  2: PAID,
};

/** Around the hours at which clocks were set, in New York and in Berlin. */
const CLOCKS_SET = ['2026-03-08T06:30Z', '2026-03-08T07:30Z', '2026-03-29T00:30Z', '2026-03-29T01:30Z'];

/** One of eleven fails at once and costs nothing; one of thirteen is cancelled, and costs what was heard until then. */
const endOf = (nth: number): Partial<UsageEnd> => {
  if (nth % 11 === 0)
    return { status: 'failed', error_type: 'invalid_audio', audio_ms: 0, cost_micros: 0, processing_ms: 11 };
  return nth % 13 === 0 ? { status: 'cancelled' } : {};
};

const { db, close } = await openDatabase({ dataDir: directory });
const today = new Date().toISOString().slice(0, 10);
for (const [nth, moment] of CLOCKS_SET.entries())
  await writeUsage(
    db,
    projects.slice(0, 1).map((project_id) =>
      ended({
        project_id,
        ended_at: new Date(moment),
        kind: 'async',
        model: 'parlance-async-1',
        audio_ms: 60_000 * (nth + 1),
        cost_micros: 10_000 * (nth + 1),
      }),
    ),
  );
for (let ago = DAYS; ago >= 0; ago -= 1) {
  const day = daysAfter(today, -ago);
  // At both ends of the day of UTC: elsewhere it is another day. Of today only what has passed.
  const moments = ago === 0 ? ['00:00:00.000Z'] : ['00:00:00.000Z', '11:30:00.000Z', '23:59:59.999Z'];
  await writeUsage(
    db,
    projects.flatMap((project_id, place) =>
      moments.flatMap((moment, nth) =>
        (ago + place + nth) % 4 === 0
          ? []
          : [
              ended({
                project_id,
                ended_at: new Date(`${day}T${moment}`),
                kind: nth === 1 ? 'real_time' : 'async',
                model: nth === 1 ? 'parlance-rt-1' : 'parlance-async-1',
                audio_ms: 60_000 * (1 + ((ago * 7 + place * 13) % 30)) + nth,
                cost_micros: 1_667 * (1 + ((ago * 7 + place * 13) % 30)) + nth,
                ...(nth === 1
                  ? { first_word_ms: 500 + 37 * ((ago + place) % 11), finals_ms: 900 + 53 * ((ago + place) % 13) }
                  : { queue_ms: 40 + 17 * (ago % 7), processing_ms: 2000 + 700 * ((ago + nth) % 5) }),
                ...endOf(ago * 3 + place * 5 + nth),
              }),
            ],
      ),
    ),
  );
  if (ago > 0)
    await db
      .insertInto('stream_peaks')
      .values(
        projects.map((project_id, place) => ({
          project_id,
          step: new Date(`${day}T11:00:00Z`),
          streams: 1 + ((ago + place) % 4),
        })),
      )
      .execute();
  // Of one project: each entry tells of two requests.
  if (ago % 9 === 4 && projects[0] !== undefined)
    await db
      .insertInto('refused_requests')
      .values({
        id: randomUUID(),
        request_id: randomUUID(),
        project_id: projects[0],
        origin: 'playground',
        kind: 'async',
        model: 'parlance-async-1',
        code: 404,
        error_type: 'file_not_found',
        message: 'There is no such file in this project.',
        refused_at: new Date(`${day}T10:00:00Z`),
        requests: 2,
      })
      .execute();
  const money = MONEY[ago];
  const at = new Date(`${day}T12:00:00Z`);
  if (money)
    await db.transaction().execute(async (trx) => {
      await lockAccount(trx, organizationId);
      await postEntry(trx, { organizationId, cause: `test:${ago}`, at, ...money });
      await issueReceipt(trx, `test:${ago}`, {
        seller: ['Parlance'],
        stripe: undefined,
        receiptSeries: 'R',
        tax: undefined,
      });
    });
  if (ago > 0) await postDays(db, new Date(`${daysAfter(day, 1)}T00:05:00Z`));
}
const [project] = projects;
if (project) await writeWebhooks(db, project);
await close();
