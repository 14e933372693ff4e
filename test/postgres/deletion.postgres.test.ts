import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { RefusedLog } from '#server/money/logs/refused.ts';
import { booksOf } from '#server/money/payments/leave.ts';
import { TestDriver } from '#server/money/payments/test-driver.ts';
import { renewLiveSessions, cancelOnDelete } from '#server/money/usage/record.ts';
import { GateKeeper } from '#server/speech-api/live/gate.ts';
import { deleteOrganization } from '#server/tenancy/organizations/delete.ts';
import { deleteProject } from '#server/tenancy/projects/delete.ts';
import { lockProjectRow } from '#server/tenancy/projects/locks.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';
import { LIVE_END, liveSession } from '../server/money/usage/live-session.ts';
import { projectKey } from '../server/speech-api/harness.ts';
import { admit } from '../server/speech-api/live/visitor.ts';
import { addDeadSession, fillQueue } from '../server/speech-api/transcriptions/queue-fixture.ts';
import { createSpeechServices } from '#server/speech-api/services.ts';
import { createFakeClock } from '../server/fake-clock.ts';
import { createFakeDecoder, createFakeEngine } from '../server/fake-engine.ts';
import { isWaiting, waitingNow } from './waiting.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

it('DAT-07 DAT-12 a project can be deleted while a webhook of it is written down: both take jobs before transcriptions', async () => {
  const { db, clock } = server.services;
  const [id = ''] = await fillQueue(
    createSpeechServices(server.services, { engine: createFakeEngine(), decoder: createFakeDecoder() }),
  );
  const { project_id, organization_id } = await db
    .selectFrom('transcriptions')
    .innerJoin('projects', 'projects.id', 'transcriptions.project_id')
    .select(['project_id', 'organization_id'])
    .where('transcriptions.id', '=', id)
    .executeTakeFirstOrThrow();
  const { userId, email } = await server.createUser();
  let deletion: Promise<void> | undefined;
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('jobs').where('subject', '=', id).execute();
    deletion = deleteProject(
      db,
      { userId, email, at: clock(), requestId: randomUUID() },
      { projectId: project_id, organizationId: organization_id, name: 'p', role: 'owner' },
      cancelOnDelete,
    );
    await isWaiting(server.services);
    await trx.updateTable('transcriptions').set({ webhook_status_code: 200 }).where('id', '=', id).execute();
  });
  await deletion;
});

it('ORG-06 MET-07 the heartbeat of a process waits for no deletion of an organization that has streams there', async () => {
  const { services } = server;
  let ahead = 0;
  const clock = (): Date => new Date(Date.now() + ahead);
  const keeper = new GateKeeper({ ...services, clock, limitDefaults: LIMIT_DEFAULTS }, 2_000_000_000);
  const [ada, ben] = [await server.createUser(), await server.createUser()];
  for (const user of [ada, ben]) await admit(keeper, (await projectKey(server, user)).key);
  await addDeadSession(services, ada.projectId, clock());
  const books = booksOf(services, new TestDriver(services));
  let isRenewed = false;
  let renewal: Promise<unknown> | undefined;
  const mailDeletion = async (): Promise<void> => {
    // An hour later, to which peaks are carried, and in which the dead session has ended.
    ahead = 3_600_000;
    renewal = keeper.renew().then(() => (isRenewed = true));
    await expect.poll(async () => isRenewed || (await waitingNow(services)) === 1, { interval: 5 }).toBe(true);
    expect(isRenewed).toBe(true);
  };
  const act = { userId: ada.userId, email: ada.email, at: services.clock(), requestId: randomUUID() };
  const deleted = {
    organizationId: ada.organizationId,
    forfeitedMicros: (await books.balance(ada.organizationId)) ?? 0,
  };
  try {
    await deleteOrganization(services.db, act, deleted, { ...books, mailDeletion });
    const { db } = services;
    const rows = await db.selectFrom('live_sessions').select(['project_id', 'status', 'lease_until']).execute();
    expect(rows).toEqual([{ project_id: ben.projectId, status: 'running', lease_until: expect.any(Date) }]);
    expect(rows[0]?.lease_until.getTime()).toBeGreaterThan(clock().getTime());
  } finally {
    await renewal;
    await keeper.close();
  }
});

it('MET-03 a heartbeat waits for nobody who holds rows of its sessions, and so nobody waits for it for ever', async () => {
  const { services } = server;
  const { db } = services;
  const user = await server.createUser();
  const started_at = services.clock();
  const until = new Date(started_at.getTime() + 30_000);
  const ids = [await liveSession(db, user, { started_at }), await liveSession(db, user, { started_at })];
  const leases = () =>
    db.selectFrom('live_sessions').select(['lease_until', 'audio_ms']).where('id', 'in', ids).execute();
  // Whichever row a heartbeat comes to first, one of them is that of the other.
  for (const [held, other] of [ids, ids.toReversed()] as [string, string][]) {
    let isRenewed = false;
    let renewal: Promise<unknown> | undefined;
    const undone = db.transaction().execute(async (trx) => {
      await trx.deleteFrom('live_sessions').where('id', '=', held).execute();
      renewal = renewLiveSessions(db, new Map(ids.map((id) => [id, LIVE_END])), until).then(() => (isRenewed = true));
      await expect.poll(async () => isRenewed || (await waitingNow(services)) === 1, { interval: 5 }).toBe(true);
      await trx.deleteFrom('live_sessions').where('id', '=', other).execute();
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await renewal;
    expect(isRenewed).toBe(true);
  }
  const renewed = { lease_until: until, audio_ms: LIVE_END.audioMs };
  expect(await leases()).toEqual([renewed, renewed]);
});

it('DAT-06 the end of a stream is written while one before it waits for the deletion of another organization', async () => {
  const { services } = server;
  const { db } = services;
  const keeper = new GateKeeper({ ...services, limitDefaults: LIMIT_DEFAULTS }, 2_000_000_000);
  const [ada, ben] = [await server.createUser(), await server.createUser()];
  const [adas, bens] = [
    await admit(keeper, (await projectKey(server, ada)).key),
    await admit(keeper, (await projectKey(server, ben)).key),
  ];
  const end = { status: 'completed', audioMs: 1000, refusal: null } as const;
  const statusOf = async ({ projectId }: { projectId: string }) =>
    (await db.selectFrom('live_sessions').select('status').where('project_id', '=', projectId).executeTakeFirst())
      ?.status;
  try {
    await db.transaction().execute(async (trx) => {
      await lockProjectRow(trx, ada.projectId, 'delete');
      const held = adas.release(end);
      await isWaiting(services);
      await bens.release(end);
      await expect.poll(() => statusOf(ben), { timeout: 10_000 }).toBe('completed');
      expect(await statusOf(ada)).toBe('running');
      await held;
    });
  } finally {
    await keeper.close();
  }
  expect(await statusOf(ada)).toBe('completed');
});

it('LOG-11: refused requests are written down without waiting for the deletion of their project or person', async () => {
  const { db, clock } = server.services;
  const [ada, bob] = [await server.createUser(), await server.createUser()];
  const failures: unknown[] = [];
  const log = { ...server.services.log, error: (...line: unknown[]) => void failures.push(line) };
  const refused = new RefusedLog({ ...server.services, log, timers: createFakeClock(), clock });
  const note = (projectId: string, userId: string | null): void =>
    refused.note({
      requestId: randomUUID(),
      caller: { projectId, origin: 'playground', apiKeyId: null, userId },
      kind: 'async',
      model: 'm',
      clientReferenceId: null,
      asked: null,
      code: 400,
      type: 'invalid_request',
      message: 'Invalid request.',
    });
  await db.transaction().execute(async (trx) => {
    await lockProjectRow(trx, ada.projectId, 'delete');
    await trx.selectFrom('users').select('id').where('id', '=', ada.userId).forUpdate().execute();
    note(ada.projectId, null);
    note(bob.projectId, ada.userId);
    await refused.flush();
  });
  const rows = await db
    .selectFrom('refused_requests')
    .select(['project_id', 'user_id'])
    .where('project_id', 'in', [ada.projectId, bob.projectId])
    .execute();
  expect([rows, failures]).toEqual([[{ project_id: bob.projectId, user_id: ada.userId }], []]);
});
