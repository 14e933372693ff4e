/** Jobs that were given up, in the hands of the operator. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommand, type Answer } from '#server/app/admin/commands.ts';
import { BUDGET_ALERT, PROJECT_BUDGET_ALERT } from '#server/money/limits/alerts.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { AUTOPAY } from '#server/money/ledger/schedule.ts';
import { FORGET_METHOD } from '#server/money/payments/forget.ts';
import { CLOSE_CUSTOMER } from '#server/money/payments/leave.ts';
import { JOBS_CHANNEL } from '#server/platform/jobs/queue.ts';
import { JobWorker } from '#server/platform/jobs/worker.ts';
import { MAIL } from '#server/platform/mail/queue.ts';
import { REMOVE_STORED } from '#server/platform/storage/remove-stored.ts';
import { silentMeters } from '#server/platform/telemetry/meters.ts';
import { silentTracer } from '#server/platform/telemetry/tracer.ts';
import { FETCH_AUDIO } from '#server/speech-api/transcriptions/fetch.ts';
import { TRANSCRIBE, WEBHOOK } from '#server/speech-api/transcriptions/finish.ts';
import { startTestServer, type TestServer } from '../harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.services.db.deleteFrom('jobs').execute();
});

const run = (...args: string[]): Promise<Answer> =>
  runCommand({ ...server.services, limitDefaults: LIMIT_DEFAULTS }, args);

const GIVEN_UP = new Date('2026-03-01T10:00:00Z');
const REQUEST = '3b0f9a52-6c1d-4e7a-9f28-5d4c3b2a1055';
async function job(kind: string, state: 'dead' | 'ready' = 'dead', subject: string = randomUUID()): Promise<number> {
  const { id } = await server.services.db
    .insertInto('jobs')
    .values({
      kind,
      subject,
      state,
      attempts: 5,
      runs: 7,
      run_at: GIVEN_UP,
      last_error: 'Error: no\n\u001b[2Jluck',
      created_at: new Date('2026-03-01T09:00:00Z'),
      request_id: REQUEST,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
const stored = (id: number) =>
  server.services.db
    .selectFrom('jobs')
    .select(['state', 'attempts', 'runs', 'run_at'])
    .where('id', '=', id)
    .executeTakeFirst();

describe('OPS-70: jobs that were given up', () => {
  it('are listed with kind, id, tries, last error, since when and by which request, and without what steers a terminal', async () => {
    expect((await run('jobs', 'list')).text).toBe('No job was given up.');
    const id = await job(WEBHOOK);
    await job(WEBHOOK, 'ready');
    const { text, data } = await run('jobs', 'list');
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^id +kind +tries +since +request +last error$/),
      expect.stringMatching(
        new RegExp(`^${id} +webhook +5 +2026-03-01T10:00:00\\.000Z +${REQUEST} +Error: no \\[2Jluck$`),
      ),
    ]);
    expect(data).toEqual([
      expect.objectContaining({
        id,
        kind: WEBHOOK,
        tries: 5,
        since: GIVEN_UP.toISOString(),
        created_at: '2026-03-01T09:00:00.000Z',
        request_id: REQUEST,
      }),
    ]);
  });

  it.each([WEBHOOK, REMOVE_STORED, AUTOPAY, CLOSE_CUSTOMER, FORGET_METHOD, BUDGET_ALERT, PROJECT_BUDGET_ALERT])(
    '%s runs again, as if it had not been tried, and workers are told',
    async (kind) => {
      const told: string[] = [];
      const unlisten = await server.services.database.listen(JOBS_CHANNEL, (payload) => told.push(payload));
      const id = await job(kind);
      expect((await run('jobs', 'retry', String(id))).text).toBe(`Job ${id} runs again.`);
      // Workers of some kinds are at work here.
      expect((await stored(id))?.state).not.toBe('dead');
      await expect.poll(() => told).toContain(kind);
      unlisten();
      await expect(run('jobs', 'retry', String(id))).rejects.toThrow(`There is no job ${id} that was given up.`);
    },
  );

  it('are due at once then, with all their tries', async () => {
    const id = await job(REMOVE_STORED);
    await run('jobs', 'retry', String(id));
    const row = await stored(id);
    expect(row).toMatchObject({ state: 'ready', attempts: 0, runs: 7 });
    expect(Math.abs((row?.run_at.getTime() ?? 0) - server.services.clock().getTime())).toBeLessThan(30_000);
  });

  it.each([TRANSCRIBE, FETCH_AUDIO])(
    '%s never runs again, and the command says why: its usage is written once',
    async (kind) => {
      const id = await job(kind);
      await expect(run('jobs', 'retry', String(id))).rejects.toThrow(
        `Job ${id} (${kind}) cannot run again: its transcription has ended with an error, which the customer has seen, and its usage is written.`,
      );
      expect(await stored(id)).toMatchObject({ state: 'dead', attempts: 5 });
      await run('jobs', 'drop', String(id));
      expect(await stored(id)).toBeUndefined();
    },
  );

  it('of an unknown kind, of a mail that is gone, or beside one that does the same, none runs again', async () => {
    await expect(run('jobs', 'retry', String(await job('unheard-of')))).rejects.toThrow(
      'this version does not know its kind',
    );
    await expect(run('jobs', 'retry', String(await job(MAIL)))).rejects.toThrow('is no longer kept');
    const subject = randomUUID();
    const newer = await job(WEBHOOK, 'ready', subject);
    const older = await job(WEBHOOK, 'dead', subject);
    await expect(run('jobs', 'retry', String(older))).rejects.toThrow(`Job ${newer} already does the same.`);
    expect(await stored(older)).toMatchObject({ state: 'dead' });
  });

  it('are dropped, those that are not dead never, and a mail goes with its job', async () => {
    const waits = await job(WEBHOOK, 'ready');
    await expect(run('jobs', 'drop', String(waits))).rejects.toThrow('that was given up');
    expect(await stored(waits)).toBeDefined();
    const mail = randomUUID();
    await server.services.db.insertInto('mails').values({ id: mail, sealed: 'v1.x.y', created_at: GIVEN_UP }).execute();
    await run('jobs', 'drop', String(await job(MAIL, 'dead', mail)));
    expect(await server.services.db.selectFrom('mails').select('id').where('id', '=', mail).execute()).toEqual([]);
    await expect(run('jobs', 'drop', '0x1')).rejects.toThrow('"0x1" is no id of a job');
    await expect(run('jobs', 'drop')).rejects.toThrow('This command takes ID.');
  });

  it('of several commands at once, one counts', async () => {
    const id = String(await job(WEBHOOK));
    const outcomes = await Promise.allSettled([
      run('jobs', 'retry', id),
      run('jobs', 'drop', id),
      run('jobs', 'retry', id),
    ]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('know when they were given up', async () => {
    const { database, clock, log } = server.services;
    const worker = new JobWorker({
      database,
      clock,
      log,
      meters: silentMeters,
      tracer: silentTracer,
      concurrency: 1,
      // Five it has had.
      maxAttempts: 6,
      handlers: {
        [REMOVE_STORED]: {
          run: () => Promise.reject(new Error('no way')),
          waiting: () => Promise.resolve(),
          givenUp: () => Promise.resolve(),
        },
      },
    });
    const id = await job(REMOVE_STORED, 'ready');
    await worker.start();
    await expect.poll(() => stored(id), { timeout: 20_000 }).toMatchObject({ state: 'dead' });
    await worker.stop();
    const { data } = await run('jobs', 'list');
    expect(data).toEqual([expect.objectContaining({ kind: REMOVE_STORED, last_error: 'Error: no way' })]);
    const [{ since }] = data as [{ since: string }];
    expect(Math.abs(Date.parse(since) - clock().getTime())).toBeLessThan(60_000);
  });
});
