import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { Db } from '#server/platform/db/database.ts';
import { claim, enqueue, Hold, type Claimant, type Job } from '#server/platform/jobs/queue.ts';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import { TRANSCRIBE, WEBHOOK } from '#server/speech-api/transcriptions/finish.ts';
import { openBorrowedDatabase } from '../../databases.ts';
import { SPOKEN } from '../../fake-engine.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, startSpeechServer, uploaded, type SpeechServer } from '../harness.ts';
import { deferred } from '../live/live-harness.ts';

const LEASE_MS = 30_000;
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

/** A queue without workers, and people whose jobs wait in it. */
async function queue() {
  const server: TestServer = await startTestServer({ overrides: { database: await openBorrowedDatabase() } });
  opened.push(server);
  const { db, clock } = server.services;
  const now = clock();
  let made = 0;
  const add = async ({ projectId }: TestUser, kind = TRANSCRIBE): Promise<string> => {
    const subject = randomUUID();
    made += 1;
    await db
      .transaction()
      .execute((trx) => enqueue(trx, { kind, subject, now: new Date(now.getTime() - 60_000 + made), projectId }));
    return subject;
  };
  const take = (extra: Partial<Claimant> = {}, by: Db = db): Promise<Job | undefined> =>
    claim(by, { kinds: [TRANSCRIBE], worker: 'w', now, leaseMs: LEASE_MS, ...extra });
  const done = (job: Job | undefined): Promise<void> => new Hold(job!, 'w').complete(db);
  return { server, db, now, add, take, done };
}

describe('FAI-02 jobs are taken in turn by organization', () => {
  it('whoever has least at work goes first, then whoever was served longest ago, then the oldest', async () => {
    const { server, add, take, done } = await queue();
    const [greedy, modest, late] = [await server.createUser(), await server.createUser(), await server.createUser()];
    const many: string[] = [];
    for (let n = 0; n < 5; n += 1) many.push(await add(greedy));
    const few = [await add(modest), await add(modest)];
    const first = await take();
    expect(first?.subject).toBe(many[0]);
    // Its first one is at work still.
    const second = await take();
    expect(second?.subject).toBe(few[0]);
    await done(first);
    await done(second);
    // Nobody is at work: the turn goes around, however many wait.
    const third = await take();
    expect(third?.subject).toBe(many[1]);
    await done(third);
    const fourth = await take();
    expect(fourth?.subject).toBe(few[1]);
    await done(fourth);
    const newcomer = await add(late);
    expect((await take())?.subject).toBe(newcomer);
  });

  it('projects of one organization share its turn', async () => {
    const { server, db, now, add, take, done } = await queue();
    const [owner, other] = [await server.createUser(), await server.createUser()];
    const second = randomUUID();
    await db
      .insertInto('projects')
      .values({ id: second, organization_id: owner.organizationId, name: 'second', description: '', created_at: now })
      .execute();
    const ids = [await add(owner), await add({ ...owner, projectId: second }), await add(other)];
    const job = await take();
    expect(job?.subject).toBe(ids[0]);
    await done(job);
    expect((await take())?.subject).toBe(ids[2]);
  });

  it("each kind has turns of its own, and what is nobody's goes by age", async () => {
    const { server, db, now, add, take, done } = await queue();
    const [one, two] = [await server.createUser(), await server.createUser()];
    const hooks = { kinds: [WEBHOOK] };
    await add(one);
    await done(await take());
    const tellings = [await add(one, WEBHOOK), await add(two, WEBHOOK)];
    expect((await take(hooks))?.subject).toBe(tellings[0]);
    for (const subject of [randomUUID(), randomUUID()])
      await db.transaction().execute((trx) => enqueue(trx, { kind: 'tidy', subject, now }));
    const tidied = [await take({ kinds: ['tidy'] }), await take({ kinds: ['tidy'] })];
    expect(tidied[0]!.id).toBeLessThan(tidied[1]!.id);
  });

  it('an extra place is only for an organization that has nothing at work', async () => {
    const { server, add, take } = await queue();
    const [greedy, modest] = [await server.createUser(), await server.createUser()];
    await add(greedy);
    await add(greedy);
    await take();
    expect(await take({ idleOnly: true })).toBeUndefined();
    const waiting = await add(modest);
    expect((await take({ idleOnly: true }))?.subject).toBe(waiting);
    await add(modest);
    expect(await take({ idleOnly: true })).toBeUndefined();
    expect(await take()).toBeDefined();
  });

  it('claims at the same moment never get the same job, and get all of them', async () => {
    const { server, add, take } = await queue();
    const users = [await server.createUser(), await server.createUser(), await server.createUser()];
    const subjects: string[] = [];
    for (let n = 0; n < 12; n += 1) subjects.push(await add(users[n % 2]!));
    const claims = await Promise.all(Array.from({ length: 12 }, (_, n) => take({ worker: `w${n}` })));
    const found = claims.flatMap((job) => (job ? [job.subject] : []));
    expect(new Set(found).size).toBe(found.length);
    for (let job = await take(); job; job = await take()) found.push(job.subject);
    expect(found.toSorted()).toEqual(subjects.toSorted());
  });

  it('the turns of an organization go with it', async () => {
    const { server, db, add, take } = await queue();
    const user = await server.createUser();
    await add(user);
    await take();
    expect(await db.selectFrom('job_turns').select('organization_id').execute()).toEqual([
      { organization_id: user.organizationId },
    ]);
    expect(
      (
        await server.call(user, 'DELETE', `/api/v2/organizations/${user.organizationId}/`, {
          name: 'Test organization',
        })
      ).status,
    ).toBeLessThan(300);
    expect(await db.selectFrom('job_turns').selectAll().execute()).toEqual([]);
  });
});

describe("FAI-02 while one organization's long recordings take all places", () => {
  it('the recording of another is transcribed beside them', async () => {
    const gate = deferred();
    let transcribe: () => Promise<TranscriptToken[]> = async () => (await gate.promise, SPOKEN);
    const server: SpeechServer = await startSpeechServer({
      engine: { info: { workers: 2 }, transcribe: () => transcribe() },
    });
    opened.push(server);
    const [greedy, modest] = [await server.createUser(), await server.createUser()];
    const create = async (user: TestUser): Promise<string> => {
      const file = await uploaded(server, user);
      return (
        await (await call(server, user, 'POST', '/transcriptions', { model: 'stt-async-v5', file_id: file.id })).json()
      ).id;
    };
    const status = async (user: TestUser, id: string): Promise<string> =>
      (await (await call(server, user, 'GET', `/transcriptions/${id}`)).json()).status;
    const long = [await create(greedy), await create(greedy), await create(greedy)];
    await eventually(async () =>
      expect(await Promise.all(long.map((id) => status(greedy, id)))).toEqual(['processing', 'processing', 'queued']),
    );
    transcribe = () => Promise.resolve(SPOKEN);
    const short = await create(modest);
    await eventually(async () => expect(await status(modest, short)).toBe('completed'));
    expect(await Promise.all(long.map((id) => status(greedy, id)))).toEqual(['processing', 'processing', 'queued']);
    gate.resolve();
    await eventually(async () =>
      expect(await Promise.all(long.map((id) => status(greedy, id)))).toEqual(['completed', 'completed', 'completed']),
    );
  });
});
