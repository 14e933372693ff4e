import { describe, expect, it } from 'vitest';
import type { Services } from '#server/platform/context.ts';
import { claim, expireLeases, Hold, type Job } from '#server/platform/jobs/queue.ts';
import { TRANSCRIBE } from '#server/speech-api/transcriptions/finish.ts';
import { SPOKEN } from '../../fake-engine.ts';
import { eventually } from '../../eventually.ts';
import { deferred } from '../live/live-harness.ts';
import { fillQueue } from './queue-fixture.ts';
import { serversInTurn, statuses } from './servers-fixture.ts';

const turn = serversInTurn({ pollMs: 50, backoffMs: () => 0 });
const are = (speech: Services, ...expected: string[]): Promise<void> =>
  eventually(async () => expect(await statuses(speech)).toEqual(expected));
const jobOf = ({ db }: Services, subject: string) => db.selectFrom('jobs').where('subject', '=', subject);
const counts = (speech: Services, subject: string) =>
  jobOf(speech, subject).select(['state', 'attempts', 'interruptions', 'interrupted_at_ms']).executeTakeFirst();

/** A queue with one job, whose worker falls silent again and again. */
async function silencing() {
  const speech = await turn.queueOnly();
  const [id = '', other = ''] = await fillQueue(speech);
  await speech.db.deleteFrom('jobs').where('subject', '=', other).execute();
  const take = async (apart: 'byPlace' | 'all' = 'byPlace'): Promise<Job> => {
    const claimant = { kinds: [TRANSCRIBE], worker: 'a', now: speech.clock(), leaseMs: 30_000 };
    const job = await claim(speech.db, { ...claimant, interruptionsApart: apart });
    if (!job) throw new Error('There is no job.');
    return job;
  };
  return {
    speech,
    id,
    take,
    /** Claims the job, comes to a place, and is heard of no more. */
    async stopAt(placeMs: number | null): Promise<Job> {
      const job = await take();
      const until = new Date(speech.clock().getTime() + 30_000);
      if (placeMs !== null) await new Hold(job, 'a').renew(speech.db, until, { placeMs, totalMs: null });
      turn.ahead += 30_001;
      return job;
    },
  };
}

describe('DAT-08 an interruption', () => {
  it('is no attempt, and counts apart at the same place only', async () => {
    const { speech, id, take, stopAt } = await silencing();
    await stopAt(40_000);
    expect(await stopAt(60_000)).toMatchObject({ attempts: 1, interruptions: 1 });
    expect(await stopAt(300_000)).toMatchObject({ attempts: 1, interruptions: 2 });
    // It came farther, and was cut short before that place the next time.
    expect(await stopAt(100_000)).toMatchObject({ attempts: 1, interruptions: 1 });
    expect(await stopAt(121_000)).toMatchObject({ attempts: 1, interruptions: 1 });
    expect(await take()).toMatchObject({ attempts: 1, interruptions: 1, runs: 6 });
    expect(await counts(speech, id)).toMatchObject({ attempts: 1, interruptions: 1, interrupted_at_ms: 121_000 });
  });

  it('before a run has begun to read its file has nothing to do with the file', async () => {
    const { take, stopAt } = await silencing();
    for (let round = 0; round < 5; round += 1) await stopAt(null);
    expect(await take()).toMatchObject({ attempts: 1, interruptions: 0 });
  });

  it('leaves the count of failures alone, and a failure that of interruptions', async () => {
    const { speech, take, stopAt } = await silencing();
    await stopAt(5000);
    await new Hold(await take(), 'a').retry(speech.db, speech.clock(), 'no luck');
    expect(await take()).toMatchObject({ attempts: 2, interruptions: 1 });
  });

  it('counts wherever it was, where runs tell no place', async () => {
    const { take, stopAt } = await silencing();
    await stopAt(null);
    expect(await take('all')).toMatchObject({ attempts: 1, interruptions: 1 });
    turn.ahead += 30_001;
    expect(await take('all')).toMatchObject({ attempts: 1, interruptions: 2 });
  });

  it('fences the late worker off, although it has the same name', async () => {
    const { speech, stopAt, take } = await silencing();
    const late = await stopAt(5000);
    const next = await take();
    await expect(new Hold(late, 'a').complete(speech.db)).rejects.toThrow('another worker');
    await new Hold(next, 'a').complete(speech.db);
  });
});

describe('DAT-08 a transcription that is interrupted', () => {
  it('ten times at ten places is done in the end', async () => {
    const { stopAt } = await silencing();
    for (let round = 0; round < 10; round += 1) await stopAt(((round * 7) % 10) * 30_000);
    await are(await turn.start(), 'completed', 'queued');
  });

  it('a third time at the same place ends as engine_failed, and costs nothing', async () => {
    const { id, stopAt } = await silencing();
    for (const place of [60_000, 70_000, 50_000]) await stopAt(place);
    const next = await turn.start();
    await are(next, 'error', 'queued');
    const told = next.db.selectFrom('transcriptions').select(['error_type', 'error_message']).where('id', '=', id);
    expect(await told.executeTakeFirst()).toEqual({
      error_type: 'engine_failed',
      error_message: 'The recording could not be transcribed. Please try again later.',
    });
    expect(await next.db.selectFrom('usage_rows').select(['status', 'cost_micros']).execute()).toEqual([
      { status: 'failed', cost_micros: 0 },
    ]);
    expect(await counts(next, id)).toMatchObject({ state: 'dead', attempts: 1, interruptions: 3 });
  });

  it('writes down its place as it goes on, and starts again from none', async () => {
    const { speech, id } = await silencing();
    let tell: (ms: number) => void = () => {};
    const gate = deferred();
    const server = await turn.start({
      transcribe: async (_seconds, { onProgress }) => {
        tell = (ms) => onProgress?.(ms);
        await gate.promise;
        return SPOKEN;
      },
    });
    const place = async () => (await jobOf(speech, id).select('place_ms').executeTakeFirst())?.place_ms;
    await are(server, 'processing', 'queued');
    await eventually(async () => expect(await place()).toBe(0));
    tell(9000);
    tell(10_400);
    await eventually(async () => expect(await place()).toBe(10_400));
    for (let ms = 11_000; ms <= 60_000; ms += 1000) tell(ms);
    await eventually(async () => expect(await place()).toBe(60_000));
    gate.resolve();
    await are(server, 'completed', 'queued');
  });

  it(
    'by kill -9, three times where it had begun to read the file, is given up; the next in the queue is done',
    { timeout: 240_000 },
    async () => {
      await turn.useDisk();
      for (let round = 0; round < 3; round += 1) {
        await turn.killAtWork();
        // Of PostgreSQL's servers there may be others, which wait for the lease to run out.
        const looking = await turn.queueOnly();
        await expireLeases(looking.db, looking.clock());
        await looking.closing.run();
      }
      await are(await turn.start(), 'error', 'completed');
    },
  );
});
