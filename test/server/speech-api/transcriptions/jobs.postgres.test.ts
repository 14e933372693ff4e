import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { WEBHOOK_TRIES } from '#contract/webhooks.ts';
import { Closing } from '#server/platform/closing.ts';
import type { Services } from '#server/platform/context.ts';
import { removeOrphans } from '#server/speech-api/files/orphans.ts';
import { claim, enqueue, Hold, LeaseEnded } from '#server/platform/jobs/queue.ts';
import { createLog } from '#server/platform/log.ts';
import { HOLD } from '#server/platform/storage/hold.ts';
import { TRANSCRIBE, WEBHOOK } from '#server/speech-api/transcriptions/finish.ts';
import { databaseKind } from '../../databases.ts';
import { eventually } from '../../eventually.ts';
import { startOther } from '../../outgoing-servers.ts';
import { fillQueue } from './queue-fixture.ts';
import { serversInTurn, statuses } from './servers-fixture.ts';

const turn = serversInTurn({ pollMs: 50 });
/**
 * The embedded database has one server; of PostgreSQL's there may be others, so what the dead one had is taken over
 * when its leases run out.
 */
const othersAreGone = (): void => {
  if (databaseKind === 'postgres') turn.ahead += 31_000;
};
const jobs = ({ db }: Services) =>
  db.selectFrom('jobs').select(['state', 'attempts', 'interruptions', 'interrupted_at_ms']).orderBy('id').execute();
const bothCompleted = (speech: Services): Promise<void> =>
  eventually(async () => expect(await statuses(speech)).toEqual(['completed', 'completed']));

describe('the queue', () => {
  /** Two jobs that wait. */
  const filled = async () => {
    const speech = await turn.queueOnly();
    const [first, second] = await fillQueue(speech);
    const take = (worker: string) =>
      claim(speech.db, { kinds: [TRANSCRIBE], worker, now: speech.clock(), leaseMs: 30_000 });
    const inSeconds = (seconds: number): Date => new Date(speech.clock().getTime() + seconds * 1000);
    return { speech, first, second, take, inSeconds };
  };

  it('takes over a job whose worker is silent, and the late one cannot complete it', async () => {
    const { speech, first, second, take, inSeconds } = await filled();
    const late = new Hold((await take('a'))!, 'a');
    await take('b');
    turn.ahead = 29_000;
    expect(await take('c')).toBeUndefined();
    await late.renew(speech.db, inSeconds(30));
    turn.ahead = 31_000;
    expect((await take('c'))?.subject).toBe(second);
    turn.ahead = 60_000;
    const again = await take('c');
    expect(again).toMatchObject({ subject: first, attempts: 2 });
    await expect(late.complete(speech.db)).rejects.toThrow(LeaseEnded);
    await expect(late.renew(speech.db, speech.clock())).rejects.toThrow(LeaseEnded);
    await expect(late.retry(speech.db, speech.clock(), 'x')).rejects.toThrow(LeaseEnded);
    await new Hold(again!, 'c').complete(speech.db);
    await expect(new Hold(again!, 'c').complete(speech.db)).rejects.toThrow(LeaseEnded);
  });

  it('keeps a failed job waiting for its time', async () => {
    const { speech, first, second, take, inSeconds } = await filled();
    await new Hold((await take('a'))!, 'a').retry(speech.db, inSeconds(4), 'no luck');
    expect((await take('b'))?.subject).toBe(second);
    expect(await take('b')).toBeUndefined();
    turn.ahead = 4001;
    expect(await take('b')).toMatchObject({ subject: first, attempts: 2 });
  });
});

it('WHK-01 a webhook that gets 503 is sent eight times over about a day, ever further apart, and then dropped', async () => {
  const hooks = await startOther((_seen, response) => response.writeHead(503).end());
  // Time stands still but for the steps of this test.
  let now = Date.now();
  const speech = await turn.start({}, { clock: () => new Date(now) });
  const [id = ''] = await fillQueue(speech);
  await bothCompleted(speech);
  await speech.db.updateTable('transcriptions').set({ webhook_url: hooks.url }).where('id', '=', id).execute();
  await speech.db.transaction().execute((trx) => enqueue(trx, { kind: WEBHOOK, subject: id, now: speech.clock() }));
  const waits: number[] = [];
  const ready = speech.db.selectFrom('jobs').select('run_at').where('state', '=', 'ready');
  for (let attempts = 1; attempts < WEBHOOK_TRIES; attempts += 1) {
    const next = ready.where('attempts', '=', attempts);
    const { run_at } = await eventually(() => next.executeTakeFirstOrThrow());
    waits.push(run_at.getTime() - now);
    now = run_at.getTime();
  }
  await eventually(async () => expect(await jobs(speech)).toEqual([]));
  const least = [10, 60, 360, 2160, 12_960, 28_800, 28_800].map((seconds) => seconds * 1000);
  expect(waits).toHaveLength(least.length);
  waits.forEach((wait, n) => {
    expect(wait).toBeGreaterThanOrEqual(least[n]!);
    expect(wait).toBeLessThanOrEqual(1.25 * least[n]!);
  });
  const hours = waits.reduce((sum, wait) => sum + wait, 0) / 3600_000;
  expect(hours).toBeGreaterThan(20);
  expect(hours).toBeLessThan(26);
  expect(hooks.seen).toHaveLength(WEBHOOK_TRIES);
  await hooks.close();
});

describe('restart', () => {
  it('DAT-08: a stop gives the running job back untouched; the next start does it all', async () => {
    const stopping = await turn.start({
      transcribe: (_seconds, { signal }) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
    });
    await fillQueue(stopping);
    await eventually(async () => expect(await statuses(stopping)).toEqual(['processing', 'queued']));
    await stopping.closing.run();
    const looking = await turn.queueOnly();
    expect(await statuses(looking)).toEqual(['queued', 'queued']);
    const untried = { state: 'ready', attempts: 0, interruptions: 0, interrupted_at_ms: null };
    expect(await jobs(looking)).toEqual([untried, untried]);
    await looking.closing.run();
    await bothCompleted(await turn.start());
  });

  it(
    'kill -9 in the middle of a job: it is done after the next start, and only once',
    { timeout: 120_000 },
    async () => {
      await turn.useDisk();
      await turn.killAtWork();
      const looking = await turn.queueOnly();
      expect(await statuses(looking)).toEqual(['processing', 'queued']);
      await looking.closing.run();
      othersAreGone();
      const next = await turn.start();
      await bothCompleted(next);
      expect(await jobs(next)).toEqual([]);
      const text = ' Hello world';
      expect(await next.db.selectFrom('transcripts').select('text').execute()).toEqual([{ text }, { text }]);
    },
  );

  it('bytes without a row are removed, but not those of an upload under way', async () => {
    const speech = await turn.queueOnly();
    await fillQueue(speech);
    const orphan = randomUUID();
    await speech.storage.put(orphan, Readable.from([Buffer.from('x')]));
    expect(await removeOrphans(speech)).toBe(0);
    turn.ahead = 3_700_000;
    expect(await removeOrphans(speech)).toBe(1);
    expect(await speech.storage.exists(orphan)).toBe(false);
    expect(await speech.db.deleteFrom('projects').executeTakeFirst()).toMatchObject({ numDeletedRows: 1n });
    expect(await removeOrphans(speech)).toBe(1);
  });

  it('OPS-81: bytes without a row stay while a backup holds the recordings, and where the server closes', async () => {
    const speech = await turn.queueOnly();
    await speech.storage.put(randomUUID(), Readable.from([Buffer.from('x')]));
    turn.ahead = 3_700_000;
    await speech.db.transaction().execute(async (trx) => {
      await HOLD.execute(trx);
      expect(await removeOrphans({ ...speech, db: trx })).toBe(0);
    });
    const closing = new Closing(createLog('silent'));
    await closing.run();
    expect(await removeOrphans({ ...speech, closing })).toBe(0);
    expect(await removeOrphans(speech)).toBe(1);
  });
});
