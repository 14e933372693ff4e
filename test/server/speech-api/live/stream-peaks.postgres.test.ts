/** The most streams of a project at once, by the hour: over several processes, and over the boundary of an hour. */
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { abortLiveSessions, cancelOnDelete } from '#server/money/usage/record.ts';
import { GateKeeper } from '#server/speech-api/live/gate.ts';
import type { Admission } from '#server/speech-api/live/ports.ts';
import { deleteProject } from '#server/tenancy/projects/delete.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { removeOrganization } from '../../leaving.ts';
import { projectKey } from '../harness.ts';
import { admit as admitAt } from './visitor.ts';

const LIMIT = 10;
const NEVER_MS = 2_000_000_000;

let server: TestServer;
let user: TestUser;
let key: string;
let now: Date;
let keepers: GateKeeper[];
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  user = await server.createUser();
  ({ key } = await projectKey(server, user));
  now = new Date('2032-05-20T10:50:00Z');
  keepers = [keeper(), keeper()];
});
afterEach(async () => {
  for (const one of keepers) await one.close();
});

/** As a process of its own: it beats when the test says so. */
const keeper = (): GateKeeper =>
  new GateKeeper(
    { ...server.services, clock: () => now, limitDefaults: { ...LIMIT_DEFAULTS, concurrent_streams: LIMIT } },
    NEVER_MS,
  );
const at = (time: string): void => {
  now = new Date(`2032-05-20T${time}Z`);
};

const admit = (by = keepers[0]!): Promise<Admission> => admitAt(by, key);

const running = async (): Promise<number> =>
  (
    await server.services.db
      .selectFrom('live_sessions')
      .select('id')
      .where('project_id', '=', user.projectId)
      .where('status', '=', 'running')
      .execute()
  ).length;
/** All processes tell that they live, as they did all the while. */
const beat = async (): Promise<void> => {
  await server.services.db
    .updateTable('live_sessions')
    .set({ lease_until: new Date(now.getTime() + 30_000) })
    .where('status', '=', 'running')
    .execute();
  for (const one of keepers) await one.renew();
};
/** Ends streams, and waits until that is written. */
async function leave(...admissions: Admission[]): Promise<void> {
  const left = (await running()) - admissions.length;
  for (const admission of admissions) await admission.release({ status: 'completed', audioMs: 1000, refusal: null });
  await expect.poll(running).toBe(left);
}

const peaks = async (): Promise<Record<string, number>> => {
  const rows = await server.services.db
    .selectFrom('stream_peaks')
    .select(['step', 'streams'])
    .where('project_id', '=', user.projectId)
    .orderBy('step')
    .execute();
  return Object.fromEntries(rows.map(({ step, streams }) => [step.toISOString().slice(11, 16), streams]));
};

it('MET-07: many that come at once at two processes are counted to the last', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 3 * LIMIT }, (_, n) => admit(keepers[n % 2])));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(LIMIT);
  expect(await peaks()).toEqual({ '10:00': LIMIT });
});

it('MET-07: fewer later in the hour do not lower it, and other projects do not count', async () => {
  const [first, second] = [await admit(), await admit(keepers[1])];
  await leave(first, second);
  await admit();
  expect(await peaks()).toEqual({ '10:00': 2 });
});

it('MET-07: what runs on is the least of the next hours: told from their beginning, and of all processes', async () => {
  const [first, second, third] = [await admit(), await admit(keepers[1]), await admit()];
  at('10:55:00');
  await leave(first);
  at('10:59:58');
  await beat();
  // One ends after the hour has begun, before any process looks.
  at('11:00:02');
  await leave(second);
  expect(await peaks()).toEqual({ '10:00': 3, '11:00': 2 });
  at('12:00:04');
  await beat();
  expect(await peaks()).toEqual({ '10:00': 3, '11:00': 2, '12:00': 1 });
  await admit(keepers[1]);
  at('13:00:01');
  await beat();
  at('13:10:00');
  await leave(third);
  expect(await peaks()).toEqual({ '10:00': 3, '11:00': 2, '12:00': 2, '13:00': 2 });
});

it('MET-07: one that ends as the hour begins ran in the hour before only', async () => {
  const only = await admit();
  at('11:00:00');
  await leave(only);
  expect(await peaks()).toEqual({ '10:00': 1 });
});

it('MET-07: streams of a process that died ran until their lease ended', async () => {
  at('10:59:50');
  await Promise.all([admit(), admit()]);
  at('11:30:00');
  await abortLiveSessions(server.services.db, now);
  expect(await peaks()).toEqual({ '10:00': 2, '11:00': 2 });
});

it('MET-07: they go with the organization, not with the project', async () => {
  const only = await admit();
  const { userId, email, organizationId, projectId } = user;
  const act = { userId, email, at: now, requestId: randomUUID() };
  await deleteProject(server.services.db, act, { projectId, organizationId, name: 'p', role: 'owner' }, cancelOnDelete);
  at('11:10:00');
  await leave(only);
  expect(await peaks()).toEqual({ '10:00': 1, '11:00': 1 });
  await removeOrganization(server.services, user, now);
  expect(await peaks()).toEqual({});
});
