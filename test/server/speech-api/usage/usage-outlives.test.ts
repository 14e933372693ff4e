import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageActivity, UsageCost } from '#contract/usage.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { compareRollups } from '#server/money/usage/rebuild.ts';
import { addProject, colleague, deletionOf, organizationOf, projectOf } from '../../people.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { consoleClient } from '../client.ts';
import { liveKey, projectKey, startSpeechServer, type SpeechServer } from '../harness.ts';
import { begin, failure } from '../live/live-client.ts';
import { deferred } from '../live/live-harness.ts';
import { ended as endedRow, writeUsage } from '../../usage.ts';

let server: SpeechServer;
let ada: TestUser;
/** No transcription ends before. */
const blocked = deferred();
beforeAll(async () => {
  server = await startSpeechServer({
    engine: { transcribe: async () => (await blocked.promise, []) },
  });
});
afterAll(() => {
  blocked.resolve();
  return server.close();
});

beforeEach(async () => {
  ada = await server.createUser();
});

const rows = (projectId = ada.projectId) =>
  server.services.db.selectFrom('usage_rows').selectAll().where('project_id', '=', projectId).execute();
const use = (project_id: string, cost_micros: number, api_key_id: string | null = null): Promise<void> =>
  writeUsage(server.services.db, [
    endedRow({ project_id, ended_at: new Date('2026-05-01T12:00:00Z'), origin: 'public_api', api_key_id, cost_micros }),
  ]);
const MAY = { start_date: '2026-05-01', end_date: '2026-05-02' };
const report = (by: TestUser, what: 'cost' | 'activity', asked: object, of: TestUser): Promise<Response> =>
  server.call(by, 'POST', `${organizationOf(of)}usage/${what}/`, asked);
const cost = async (by: TestUser, asked: object = MAY, of = ada): Promise<UsageCost> =>
  v.parse(UsageCost, await (await report(by, 'cost', asked, of)).json());
const activity = async (by: TestUser): Promise<UsageActivity> =>
  v.parse(UsageActivity, await (await report(by, 'activity', MAY, ada)).json());
const remove = async (path = projectOf(ada)): Promise<void> => {
  expect((await server.call(ada, 'DELETE', path)).status).toBe(204);
};
/** Half a second of a stream, and the refusal that it ends with. */
const streaming = async () => {
  const client = await begin(server, { api_key: await liveKey(server, ada) });
  client.socket.send(Buffer.alloc(16_000));
  await eventually(() => expect(server.engine.streams.at(-1)?.audioMs).toBe(500));
  return { refused: async () => expect(await failure(client)).toMatchObject({ error_code: 401 }) };
};

describe('DAT-07: what a deleted project used', () => {
  it('stays in the reports of its organization, for those who see all of it', async () => {
    const second = await addProject(server, ada, 'Second');
    const [bob, billing] = [await colleague(server, ada, 'member'), await colleague(server, ada, 'billing')];
    await use(ada.projectId, 5);
    await use(second, 50);
    const before = [await cost(ada), await activity(ada)];
    expect(before[0]).toMatchObject({ totals: { cost_micros: 55 } });
    await remove(`/api/v2/projects/${second}/`);
    for (const user of [ada, billing]) expect([await cost(user), await activity(user)]).toEqual(before);
    const asked = { ...MAY, project_ids: [second] };
    expect((await cost(ada, asked)).totals).toEqual({ cost_micros: 50 });
    expect((await cost(bob)).totals).toEqual({ cost_micros: 5 });
    const eve = await server.createUser();
    expect((await cost(eve, asked, eve)).totals).toEqual({ cost_micros: 0 });
  });

  it('still tells by which key it was asked for, though the key is gone', async () => {
    await use(ada.projectId, 5, (await projectKey(server, ada)).id);
    const before = await rows();
    await remove();
    const keys = server.services.db.selectFrom('api_keys').selectAll().where('project_id', '=', ada.projectId);
    expect(await keys.execute()).toEqual([]);
    expect(await rows()).toEqual(before);
  });

  it('counts up to its last second, also of a stream that the deletion ends', async () => {
    const stream = await streaming();
    await remove();
    await stream.refused();
    await eventually(async () =>
      expect(await rows()).toEqual([expect.objectContaining({ status: 'failed', audio_ms: 500, cost_micros: 17 })]),
    );
    const today = new Date().toISOString().slice(0, 10);
    expect((await cost(ada, { start_date: today, end_date: today })).totals).toEqual({ cost_micros: 17 });
  });

  it('MET-01 MET-03: counts each file once that waits or runs when it is deleted, whatever else ends it at that moment', async () => {
    const { call: ask, create, reaches, stored } = consoleClient(() => ({ server, user: ada }));
    const { id: file_id } = await stored();
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push((await create({ file_id })).id);
    await reaches(ids[0]!, 'processing');
    await Promise.all([
      remove(),
      ...ids.slice(4, 8).map((id) => ask('DELETE', `/transcriptions/${id}`)),
      ...ids.slice(6, 10).map((id) => ask('POST', `/transcriptions/${id}/cancel`)),
    ]);
    const found = await rows();
    expect(found.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const row of found)
      expect(row).toMatchObject({ status: 'cancelled', error_type: null, audio_ms: 0, project_name: 'Test project' });
    expect(found.filter(({ queue_ms }) => queue_ms !== null).length).toBeGreaterThan(0);
    expect(await proveLedger(server.services.db)).toEqual([]);
    expect(await compareRollups(server.services.db, server.services.clock())).toEqual({
      usage_hourly: 0,
      usage_daily: 0,
      log_days: 0,
    });
  });

  it('goes with its organization, which nobody is left to see, deleted projects and running streams included', async () => {
    const { db } = server.services;
    const second = await addProject(server, ada, 'Second');
    for (const project of [ada.projectId, second]) await use(project, 5);
    await remove(`/api/v2/projects/${second}/`);
    const stream = await streaming();
    await remove(await deletionOf(server, ada));
    await stream.refused();
    const sessions = db.selectFrom('live_sessions').selectAll().where('project_id', '=', ada.projectId);
    await eventually(async () => expect(await sessions.execute()).toEqual([]));
    expect([...(await rows()), ...(await rows(second))]).toEqual([]);
    const deleted = db.selectFrom('deleted_projects').selectAll().where('organization_id', '=', ada.organizationId);
    expect(await deleted.execute()).toEqual([]);
    const { requests } = await db
      .selectFrom('pruned_usage')
      .select(({ fn }) => fn.sum('requests').as('requests'))
      .where('organization_id', '=', ada.organizationId)
      .executeTakeFirstOrThrow();
    expect(Number(requests)).toBe(3);
    expect(await proveLedger(db)).toEqual([]);
  });
});
