/** What the end of a request costs: its row, its sums and its charge, in one transaction. */
import { randomUUID } from 'node:crypto';
import { addUsage, type UsageEnd } from '#server/money/usage/rows.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { TestUser } from '../test/server/harness.ts';
import { atMost, figure, quantile, type Row } from './row.ts';
import { scaled } from './settings.ts';

const ALONE = scaled(300);
const WRITERS = 20;
const EACH = 40;
const BUDGET_MS = 30;

const end = ({ projectId }: TestUser, nth: number): UsageEnd => ({
  id: randomUUID(),
  request_id: randomUUID(),
  project_id: projectId,
  origin: 'public_api',
  api_key_id: null,
  user_id: null,
  client_reference_id: `customer-${nth}`,
  kind: nth % 2 === 0 ? 'async' : 'real_time',
  model: nth % 2 === 0 ? 'parlance-async-1' : 'parlance-rt-1',
  status: nth % 20 === 0 ? 'failed' : 'completed',
  error_type: nth % 20 === 0 ? 'error_94' : null,
  started_at: new Date(Date.now() - 10_000),
  ended_at: new Date(),
  audio_ms: 1000 * nth,
  input_tokens: 0,
  output_tokens: nth,
  cost_micros: 28 * nth,
  queue_ms: nth % 2 === 0 ? 40 : null,
  processing_ms: nth % 2 === 0 ? 900 + nth : null,
  first_word_ms: nth % 2 === 0 ? null : 180 + nth,
  finals_ms: nth % 2 === 0 ? null : 120 + nth,
});

/** One after the other, and all writers at once in one project and hour. */
export async function endMany(db: Db, user: TestUser): Promise<Row[]> {
  const write = (nth: number): Promise<void> => db.transaction().execute((trx) => addUsage(trx, [end(user, nth)]));
  const times: number[] = [];
  for (let nth = 0; nth < ALONE; nth += 1) {
    const from = performance.now();
    await write(nth);
    times.push(performance.now() - from);
  }
  const from = performance.now();
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      for (let nth = 0; nth < EACH; nth += 1) await write(writer * EACH + nth);
    }),
  );
  const each = (performance.now() - from) / 1000;
  return [
    atMost('the end of a request, median', quantile(times, 0.5), 'ms', BUDGET_MS),
    figure(`requests of one project that end in a second, ${WRITERS} at once`, (WRITERS * EACH) / each, ''),
  ];
}
