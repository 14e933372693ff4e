import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { claim, enqueue, Hold, type Claimant, type Job } from '#server/platform/jobs/queue.ts';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import { TRANSCRIBE, WEBHOOK } from '#server/speech-api/transcriptions/finish.ts';
import { SPOKEN } from '../../fake-engine.ts';
import { startTestServer, type TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { addProject, deletionOf } from '../../people.ts';
import { consoleClient } from '../client.ts';
import { startSpeechServer } from '../harness.ts';
import { deferred } from '../live/live-harness.ts';

const LEASE_MS = 30_000;
const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of opened.splice(0)) await server.close();
});

/** A queue without workers, and people whose jobs wait in it. */
async function queue() {
  const server = await startTestServer();
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
  const take = (extra: Partial<Claimant> = {}): Promise<Job | undefined> =>
    claim(db, { kinds: [TRANSCRIBE], worker: 'w', now, leaseMs: LEASE_MS, ...extra });
  const takes = async (subject: string | undefined, extra?: Partial<Claimant>): Promise<Job> => {
    const job = await take(extra);
    expect(job?.subject).toBe(subject);
    return job!;
  };
  const done = (job: Job): Promise<void> => new Hold(job, 'w').complete(db);
  const people = async () => [await server.createUser(), await server.createUser(), await server.createUser()] as const;
  return { server, db, now, people, add, take, takes, done };
}

describe('FAI-02 jobs are taken in turn by organization', () => {
  it('whoever has least at work goes first, then whoever was served longest ago, then the oldest', async () => {
    const { people, add, takes, done } = await queue();
    const [greedy, modest, late] = await people();
    const many = [await add(greedy), await add(greedy), await add(greedy), await add(greedy), await add(greedy)];
    const few = [await add(modest), await add(modest)];
    const first = await takes(many[0]);
    // Its first one is at work still.
    const second = await takes(few[0]);
    await done(first);
    await done(second);
    // Nobody is at work: the turn goes around, however many wait.
    await done(await takes(many[1]));
    await done(await takes(few[1]));
    await takes(await add(late));
  });

  it('projects of one organization share its turn', async () => {
    const { server, people, add, takes, done } = await queue();
    const [owner, other] = await people();
    const first = await add(owner);
    await add({ ...owner, projectId: await addProject(server, owner, 'second') });
    const others = await add(other);
    await done(await takes(first));
    await takes(others);
  });

  it("each kind has turns of its own, and what is nobody's goes by age", async () => {
    const { people, db, now, add, take, takes, done } = await queue();
    const [one, two] = await people();
    await done(await takes(await add(one)));
    const telling = await add(one, WEBHOOK);
    await add(two, WEBHOOK);
    await takes(telling, { kinds: [WEBHOOK] });
    for (const subject of [randomUUID(), randomUUID()])
      await db.transaction().execute((trx) => enqueue(trx, { kind: 'tidy', subject, now }));
    const tidied = [await take({ kinds: ['tidy'] }), await take({ kinds: ['tidy'] })];
    expect(tidied[0]!.id).toBeLessThan(tidied[1]!.id);
  });

  it('an extra place is only for an organization that has nothing at work', async () => {
    const { people, add, take, takes } = await queue();
    const [greedy, modest] = await people();
    await takes(await add(greedy));
    await add(greedy);
    const extra = { idleOnly: true };
    expect(await take(extra)).toBeUndefined();
    await takes(await add(modest), extra);
    await add(modest);
    expect(await take(extra)).toBeUndefined();
    expect(await take()).toBeDefined();
  });

  it('claims at the same moment never get the same job, and get all of them', async () => {
    const { people, add, take } = await queue();
    const users = await people();
    const subjects: string[] = [];
    for (let n = 0; n < 12; n += 1) subjects.push(await add(users[n % 2]!));
    const claims = await Promise.all(Array.from({ length: 12 }, (_, n) => take({ worker: `w${n}` })));
    const found = claims.flatMap((job) => (job ? [job.subject] : []));
    expect(new Set(found).size).toBe(found.length);
    for (let job = await take(); job; job = await take()) found.push(job.subject);
    expect(found.toSorted()).toEqual(subjects.toSorted());
  });

  it('the turns of an organization go with it', async () => {
    const { server, people, db, add, takes } = await queue();
    const [user] = await people();
    const { organizationId: organization_id } = user;
    await takes(await add(user));
    const turns = db.selectFrom('job_turns').select('organization_id');
    expect(await turns.execute()).toEqual([{ organization_id }]);
    expect((await server.call(user, 'DELETE', await deletionOf(server, user))).ok).toBe(true);
    expect(await turns.execute()).toEqual([]);
  });
});

it("FAI-02: while one organization's long recordings take all places, the recording of another is transcribed beside them", async () => {
  const gate = deferred();
  let transcribe = async (): Promise<TranscriptToken[]> => (await gate.promise, SPOKEN);
  const server = await startSpeechServer({ engine: { info: { workers: 2 }, transcribe: () => transcribe() } });
  opened.push(server);
  const [greedy, modest] = [await server.createUser(), await server.createUser()];
  const [theirs, own] = [greedy, modest].map((user) => consoleClient(() => ({ server, user })));
  const long = [await theirs!.create(), await theirs!.create(), await theirs!.create()];
  const statuses = () => Promise.all(long.map(async ({ id }) => (await theirs!.get(id)).status));
  const waiting = ['processing', 'processing', 'queued'];
  await eventually(async () => expect(await statuses()).toEqual(waiting));
  transcribe = () => Promise.resolve(SPOKEN);
  await own!.reaches((await own!.create()).id, 'completed');
  expect(await statuses()).toEqual(waiting);
  gate.resolve();
  for (const { id } of long) await theirs!.reaches(id, 'completed');
});
