import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WEBHOOK_TRIES } from '#contract/webhooks.ts';
import { Closing } from '#server/platform/closing.ts';
import { loadConfig } from '#server/platform/config.ts';
import { createServices, type ServiceOverrides, type Services } from '#server/platform/context.ts';
import { removeOrphans } from '#server/speech-api/files/orphans.ts';
import { claim, enqueue, Hold, LeaseLost } from '#server/platform/jobs/queue.ts';
import { createLog } from '#server/platform/log.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { HOLD } from '#server/platform/storage/hold.ts';
import { TRANSCRIBE, WEBHOOK } from '#server/speech-api/transcriptions/finish.ts';
import type { SpeechServices } from '#server/speech-api/services.ts';
import { createSpeechServices } from '#server/speech-api/services.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { createFakeDecoder, createFakeEngine, type FakeEngineScript } from '../../fake-engine.ts';
import { borrowDatabase, databaseKind, freshSettings, type BorrowedDatabase } from '../../databases.ts';
import { testFolder } from '../../template.ts';
import { eventually } from '../../eventually.ts';
import { onLoopback, startOther } from '../../outgoing-servers.ts';
import { fillQueue } from './queue-fixture.ts';

let settings: Record<string, string>;
let dataDir: string;
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
  return made;
};
const startServer = async (script: FakeEngineScript = {}, overrides?: ServiceOverrides): Promise<SpeechServices> =>
  startSpeechApi(
    await services(overrides),
    { engine: createFakeEngine(script), decoder: createFakeDecoder() },
    { jobs: { pollMs: 50 }, outgoing: { allow: onLoopback } },
  );
/** The embedded database has one server; of PostgreSQL's there may be others, so what the dead one had is taken over when its leases run out. */
const othersAreGone = (): void => {
  if (databaseKind === 'postgres') ahead += 31_000;
};
/** The same, without a worker. */
const queueOnly = async (overrides?: ServiceOverrides): Promise<SpeechServices> =>
  createSpeechServices(await services(overrides), { engine: createFakeEngine(), decoder: createFakeDecoder() });
const statuses = async ({ db }: Services): Promise<string[]> =>
  (await db.selectFrom('transcriptions').select('status').orderBy('position').execute()).map(({ status }) => status);
const jobs = ({ db }: Services) => db.selectFrom('jobs').select(['state', 'attempts']).orderBy('id').execute();

beforeEach(async () => {
  dataDir = await mkdtemp(join(testFolder, 'jobs-'));
  settings = { DATA_DIR: dataDir };
  database = await borrowDatabase();
  ahead = 0;
});
afterEach(async () => {
  for (const made of open.splice(0)) await made.closing.run();
  await database.giveBack();
  await rm(dataDir, { recursive: true, force: true });
});

describe('the queue', () => {
  const take = (speech: Services, worker: string) =>
    claim(speech.db, { kinds: [TRANSCRIBE], worker, now: speech.clock(), leaseMs: 30_000 });

  it('gives every job to one worker, oldest first, and nothing of another kind', async () => {
    const speech = await queueOnly();
    const ids = await fillQueue(speech);
    expect(await claim(speech.db, { kinds: ['other'], worker: 'a', now: speech.clock(), leaseMs: 1 })).toBeUndefined();
    expect((await take(speech, 'a'))?.subject).toBe(ids[0]);
    expect((await take(speech, 'b'))?.subject).toBe(ids[1]);
    expect(await take(speech, 'c')).toBeUndefined();
  });

  it('takes over a job whose worker is silent, and the late one cannot complete it', async () => {
    const speech = await queueOnly();
    const [id] = await fillQueue(speech);
    const first = await take(speech, 'a');
    await take(speech, 'b');
    ahead = 29_000;
    expect(await take(speech, 'c')).toBeUndefined();
    await new Hold(first!, 'a').renew(speech.db, new Date(speech.clock().getTime() + 30_000));
    ahead = 31_000;
    expect((await take(speech, 'c'))?.subject).not.toBe(id);
    ahead = 60_000;
    const second = await take(speech, 'c');
    expect(second).toMatchObject({ subject: id, attempts: 2 });
    const late = new Hold(first!, 'a');
    await expect(late.complete(speech.db)).rejects.toThrow(LeaseLost);
    await expect(late.renew(speech.db, speech.clock())).rejects.toThrow(LeaseLost);
    await expect(late.retry(speech.db, speech.clock(), 'x')).rejects.toThrow(LeaseLost);
    await new Hold(second!, 'c').complete(speech.db);
    await expect(new Hold(second!, 'c').complete(speech.db)).rejects.toThrow(LeaseLost);
  });

  it('keeps a failed job waiting for its time', async () => {
    const speech = await queueOnly();
    const [id] = await fillQueue(speech);
    const first = await take(speech, 'a');
    await new Hold(first!, 'a').retry(speech.db, new Date(speech.clock().getTime() + 4000), 'no luck');
    expect((await take(speech, 'b'))?.subject).not.toBe(id);
    expect(await take(speech, 'b')).toBeUndefined();
    ahead = 4001;
    expect(await take(speech, 'b')).toMatchObject({ subject: id, attempts: 2 });
  });
});

describe('the pace', () => {
  it('WHK-01 a webhook that is answered with 503 is sent eight times over about a day, longer and longer apart and never at the same beat, and then dropped', async () => {
    const hooks = await startOther((_seen, response) => response.writeHead(503).end());
    // Time stands still but for the steps of this test.
    let now = Date.now();
    const speech = await startServer({}, { database: database.open(), clock: () => new Date(now) });
    const [id = ''] = await fillQueue(speech);
    await eventually(async () => expect(await statuses(speech)).toEqual(['completed', 'completed']));
    await speech.db.updateTable('transcriptions').set({ webhook_url: hooks.url }).where('id', '=', id).execute();
    await speech.db.transaction().execute((trx) => enqueue(trx, { kind: WEBHOOK, subject: id, now: speech.clock() }));
    const waits: number[] = [];
    for (let attempts = 1; attempts < WEBHOOK_TRIES; attempts += 1) {
      const { run_at } = await eventually(() =>
        speech.db
          .selectFrom('jobs')
          .select('run_at')
          .where('state', '=', 'ready')
          .where('attempts', '=', attempts)
          .executeTakeFirstOrThrow(),
      );
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
});

describe('restart', () => {
  it('a stop gives the running job back untouched; the next start does it all', async () => {
    const stopping = await startServer({
      transcribe: (_seconds, { signal }) =>
        new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
    });
    await fillQueue(stopping);
    await eventually(async () => expect(await statuses(stopping)).toEqual(['processing', 'queued']));
    await stopping.closing.run();
    const looking = await queueOnly();
    expect(await statuses(looking)).toEqual(['queued', 'queued']);
    expect(await jobs(looking)).toEqual([
      { state: 'ready', attempts: 0 },
      { state: 'ready', attempts: 0 },
    ]);
    await looking.closing.run();
    const next = await startServer();
    await eventually(async () => expect(await statuses(next)).toEqual(['completed', 'completed']));
  });

  // Whole servers, each on a database of its own on the disk.
  it(
    'kill -9 in the middle of a job: it is done after the next start, and only once',
    { timeout: 120_000 },
    async () => {
      await rm(dataDir, { recursive: true });
      settings = await freshSettings();
      dataDir = settings['DATA_DIR']!;
      const child = spawn(
        process.execPath,
        ['--import', 'tsx', join(projectRoot, 'test/server/speech-api/transcriptions/stuck-server.ts')],
        {
          cwd: projectRoot,
          env: { ...process.env, ...settings },
          stdio: 'ignore',
        },
      );
      const exited = new Promise((resolve) => child.once('exit', resolve));
      try {
        // A whole process starts here; on a busy machine that takes its time.
        await vi.waitFor(() => expect(existsSync(join(dataDir, 'at-work'))).toBe(true), {
          timeout: 60_000,
          interval: 50,
        });
      } finally {
        child.kill('SIGKILL');
        await exited;
      }
      const looking = await queueOnly({});
      expect(await statuses(looking)).toEqual(['processing', 'queued']);
      await looking.closing.run();
      othersAreGone();
      const next = await startServer({}, {});
      await eventually(async () => expect(await statuses(next)).toEqual(['completed', 'completed']));
      expect(await jobs(next)).toEqual([]);
      expect(await next.db.selectFrom('transcripts').select('text').execute()).toEqual([
        { text: ' Hello world' },
        { text: ' Hello world' },
      ]);
    },
  );

  it('live sessions of a killed server are over after the next start', async () => {
    const speech = await queueOnly();
    await fillQueue(speech);
    const { id } = await speech.db.selectFrom('projects').select('id').executeTakeFirstOrThrow();
    const started = speech.clock();
    const lease = new Date(started.getTime() + 30_000);
    await speech.db
      .insertInto('live_sessions')
      .values({
        id: randomUUID(),
        project_id: id,
        model: 'm',
        status: 'running',
        client_reference_id: null,
        worker: 'gone',
        lease_until: lease,
        started_at: started,
        audio_ms: 0,
        error_code: null,
        error_type: null,
      })
      .execute();
    await speech.closing.run();
    othersAreGone();
    const next = await startServer();
    const read = next.db.selectFrom('live_sessions').select(['status', 'ended_at']);
    // Where there may be other servers the next one sees it with its first look at them.
    await expect
      .poll(async () => (await read.executeTakeFirstOrThrow()).status, {
        timeout: databaseKind === 'postgres' ? 20_000 : 0,
      })
      .toBe('aborted');
    const session = await read.executeTakeFirstOrThrow();
    // It ended with its server: by its lease at the latest, and not in the future.
    expect(session.ended_at?.getTime()).toBeGreaterThanOrEqual(started.getTime());
    expect(session.ended_at?.getTime()).toBeLessThanOrEqual(Math.min(lease.getTime(), next.clock().getTime()));
  });

  it('bytes without a row are removed, but not those of an upload under way', async () => {
    const speech = await queueOnly();
    await fillQueue(speech);
    const orphan = randomUUID();
    await speech.storage.put(orphan, Readable.from([Buffer.from('x')]));
    expect(await removeOrphans(speech)).toBe(0);
    ahead = 3_700_000;
    expect(await removeOrphans(speech)).toBe(1);
    expect(await speech.storage.exists(orphan)).toBe(false);
    expect(await speech.db.deleteFrom('projects').executeTakeFirst()).toMatchObject({ numDeletedRows: 1n });
    expect(await removeOrphans(speech)).toBe(1);
  });

  it('OPS-81: bytes without a row stay while a backup holds the recordings, and where the server closes', async () => {
    const speech = await queueOnly();
    await speech.storage.put(randomUUID(), Readable.from([Buffer.from('x')]));
    ahead = 3_700_000;
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
