import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '#server/platform/config.ts';
import { createServices, type ServiceOverrides, type Services } from '#server/platform/context.ts';
import { claim, expireLeases, Hold, type Job } from '#server/platform/jobs/queue.ts';
import { createLog } from '#server/platform/log.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { keepPrices } from '#server/money/usage/price-lists.ts';
import { EngineError } from '#server/engine/port.ts';
import { TRANSCRIBE } from '#server/speech-api/transcriptions/finish.ts';
import { createSpeechServices, type SpeechServices } from '#server/speech-api/services.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { borrowDatabase, freshSettings, type BorrowedDatabase } from '../../databases.ts';
import { createFakeDecoder, createFakeEngine, SPOKEN, type FakeEngineScript } from '../../fake-engine.ts';
import { testFolder } from '../../template.ts';
import { eventually } from '../../eventually.ts';
import { fillQueue } from './queue-fixture.ts';

let dataDir: string;
let settings: Record<string, string>;
let database: BorrowedDatabase;
let ahead: number;
const open: Services[] = [];

const services = async (overrides: ServiceOverrides = { database: database.open() }): Promise<Services> => {
  const made = await createServices(loadConfig({ PORT: '0', ...settings }), {
    log: createLog('silent'),
    clock: () => new Date(Date.now() + ahead),
    ...overrides,
  });
  open.push(made);
  await keepPrices(made.db, made.config.prices, made.clock());
  return made;
};
const startServer = async (script: FakeEngineScript = {}, overrides?: ServiceOverrides): Promise<SpeechServices> =>
  startSpeechApi(
    await services(overrides),
    { engine: createFakeEngine(script), decoder: createFakeDecoder() },
    { jobs: { pollMs: 50, backoffMs: () => 0 } },
  );
const queueOnly = async (overrides?: ServiceOverrides): Promise<SpeechServices> =>
  createSpeechServices(await services(overrides), { engine: createFakeEngine(), decoder: createFakeDecoder() });
const statuses = async ({ db }: Services): Promise<string[]> =>
  (await db.selectFrom('transcriptions').select('status').orderBy('position').execute()).map(({ status }) => status);
const counts = ({ db }: Services, subject: string) =>
  db
    .selectFrom('jobs')
    .select(['attempts', 'interruptions', 'interrupted_at_ms'])
    .where('subject', '=', subject)
    .executeTakeFirst();

beforeEach(async () => {
  dataDir = await mkdtemp(join(testFolder, 'interruptions-'));
  settings = { DATA_DIR: dataDir };
  database = await borrowDatabase();
  ahead = 0;
});
afterEach(async () => {
  for (const made of open.splice(0)) await made.closing.run();
  await database.giveBack();
  await rm(dataDir, { recursive: true, force: true });
});

/** A queue with one job, whose worker falls silent again and again. */
async function silencing() {
  const speech = await queueOnly();
  const [id = '', other = ''] = await fillQueue(speech);
  await speech.db.deleteFrom('jobs').where('subject', '=', other).execute();
  const take = async (apart: 'byPlace' | 'all' | undefined = 'byPlace'): Promise<Job> => {
    const job = await claim(speech.db, {
      kinds: [TRANSCRIBE],
      worker: 'a',
      now: speech.clock(),
      leaseMs: 30_000,
      interruptionsApart: apart,
    });
    if (!job) throw new Error('There is no job.');
    return job;
  };
  return {
    speech,
    id,
    other,
    take,
    /** Claims the job, comes to a place, and is heard of no more. */
    async stopAt(placeMs: number | null): Promise<Job> {
      const job = await take();
      if (placeMs !== null)
        await new Hold(job, 'a').renew(speech.db, new Date(speech.clock().getTime() + 30_000), {
          placeMs,
          totalMs: null,
        });
      ahead += 30_001;
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
    expect(await counts(speech, id)).toEqual({ attempts: 1, interruptions: 1, interrupted_at_ms: 121_000 });
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
    ahead += 30_001;
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
    const { id, other, stopAt } = await silencing();
    for (let round = 0; round < 10; round += 1) await stopAt(((round * 7) % 10) * 30_000);
    const next = await startServer();
    await eventually(async () => expect(await statuses(next)).toEqual(['completed', 'queued']));
    expect(id).not.toBe(other);
  });

  it('a third time at the same place ends as engine_failed, and costs nothing', async () => {
    const { id, stopAt } = await silencing();
    for (const place of [60_000, 70_000, 50_000]) await stopAt(place);
    const next = await startServer();
    await eventually(async () => expect(await statuses(next)).toEqual(['error', 'queued']));
    expect(
      await next.db
        .selectFrom('transcriptions')
        .select(['error_type', 'error_message'])
        .where('id', '=', id)
        .executeTakeFirst(),
    ).toEqual({
      error_type: 'engine_failed',
      error_message: 'The recording could not be transcribed. Please try again later.',
    });
    expect(await next.db.selectFrom('usage_rows').select(['status', 'cost_micros']).execute()).toEqual([
      { status: 'failed', cost_micros: 0 },
    ]);
    expect(
      await next.db
        .selectFrom('jobs')
        .select(['state', 'attempts', 'interruptions'])
        .where('subject', '=', id)
        .execute(),
    ).toEqual([{ state: 'dead', attempts: 1, interruptions: 3 }]);
  });

  it('is not suspected when the server stops in order', async () => {
    const { id, speech } = await silencing();
    for (let round = 0; round < 4; round += 1) {
      const stopping = await startServer({
        transcribe: (_seconds, { signal }) =>
          new Promise((_resolve, reject) =>
            signal?.addEventListener('abort', () => reject(new EngineError('aborted', 'x'))),
          ),
      });
      await eventually(async () => expect(await statuses(stopping)).toEqual(['processing', 'queued']));
      await stopping.closing.run();
    }
    expect(await counts(speech, id)).toEqual({ attempts: 0, interruptions: 0, interrupted_at_ms: null });
  });

  it('writes down its place as it goes on, and starts again from none', async () => {
    const { speech, id } = await silencing();
    let tell: (ms: number) => void = () => {};
    let finish: () => void = () => {};
    const server = await startServer({
      transcribe: async (_seconds, { onProgress }) => {
        tell = (ms) => onProgress?.(ms);
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return SPOKEN;
      },
    });
    const place = async () =>
      (await speech.db.selectFrom('jobs').select('place_ms').where('subject', '=', id).executeTakeFirst())?.place_ms;
    await eventually(async () =>
      expect([await place(), await statuses(server)]).toEqual([0, ['processing', 'queued']]),
    );
    tell(9000);
    tell(10_400);
    await eventually(async () => expect(await place()).toBe(10_400));
    for (let ms = 11_000; ms <= 60_000; ms += 1000) tell(ms);
    await eventually(async () => expect(await place()).toBe(60_000));
    finish();
    await eventually(async () => expect(await statuses(server)).toEqual(['completed', 'queued']));
  });

  // Whole processes, each on the same directory.
  it(
    'by kill -9, three times where it had begun to read the file, is given up; the next in the queue is done',
    { timeout: 240_000 },
    async () => {
      await rm(dataDir, { recursive: true });
      settings = await freshSettings();
      dataDir = settings['DATA_DIR']!;
      const flag = join(dataDir, 'at-work');
      for (let round = 0; round < 3; round += 1) {
        await rm(flag, { force: true });
        const child = spawn(
          process.execPath,
          ['--import', 'tsx', join(projectRoot, 'test/server/speech-api/transcriptions/stuck-server.ts')],
          { cwd: projectRoot, env: { ...process.env, ...settings }, stdio: 'ignore' },
        );
        const exited = new Promise((resolve) => child.once('exit', resolve));
        try {
          await vi.waitFor(() => expect(existsSync(flag)).toBe(true), { timeout: 60_000, interval: 50 });
        } finally {
          child.kill('SIGKILL');
          await exited;
        }
        // Of PostgreSQL's servers there may be others, which wait for the lease to run out.
        const looking = await queueOnly({});
        await expireLeases(looking.db, looking.clock());
        await looking.closing.run();
      }
      const next = await startServer({}, {});
      await eventually(async () => expect(await statuses(next)).toEqual(['error', 'completed']));
    },
  );
});
