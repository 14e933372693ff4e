import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageActivity, UsageCost } from '#contract/usage.ts';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { compareRollups } from '#server/money/usage/rebuild.ts';
import { addProject, colleague, organizationOf, outcomeOf, projectOf } from '../../people.ts';
import type { TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { bearer, call, liveKey, startSpeechServer, uploaded, type SpeechServer } from '../harness.ts';
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
async function use(
  projectId: string,
  ended: string,
  cost_micros: number,
  api_key_id: string | null = null,
): Promise<void> {
  await writeUsage(server.services.db, [
    endedRow({
      project_id: projectId,
      ended_at: new Date(ended),
      origin: 'public_api',
      api_key_id,
      model: 'a-1',
      cost_micros,
    }),
  ]);
}
const MAY = { start_date: '2026-05-01', end_date: '2026-05-02' };
const cost = async (by: TestUser, asked: object = MAY): Promise<UsageCost> =>
  v.parse(UsageCost, await (await server.call(by, 'POST', `${organizationOf(ada)}usage/cost/`, asked)).json());
const activity = async (by: TestUser, asked: object = MAY): Promise<UsageActivity> =>
  v.parse(UsageActivity, await (await server.call(by, 'POST', `${organizationOf(ada)}usage/activity/`, asked)).json());
const remove = (path: string): Promise<Response> => server.call(ada, 'DELETE', path);

describe('DAT-07: what a deleted project used', () => {
  it('stays in the reports of its organization, for those who see all of it', async () => {
    const second = await addProject(server, ada, 'Second');
    const bob = await colleague(server, ada, 'member');
    const billing = await colleague(server, ada, 'billing');
    const eve = await server.createUser();
    await use(ada.projectId, '2026-05-01T12:00:00Z', 5);
    await use(second, '2026-05-02T12:00:00Z', 50);
    const [before, beforeActivity] = [await cost(ada), await activity(ada)];
    expect(before.totals).toEqual({ cost_micros: 55 });
    expect((await remove(`/api/v2/projects/${second}/`)).status).toBe(204);
    for (const user of [ada, billing])
      expect([await cost(user), await activity(user)]).toEqual([before, beforeActivity]);
    expect((await cost(ada, { ...MAY, project_ids: [second] })).totals).toEqual({ cost_micros: 50 });
    expect((await cost(bob)).totals).toEqual({ cost_micros: 5 });
    expect(
      (await server.call(eve, 'POST', `${organizationOf(eve)}usage/cost/`, { ...MAY, project_ids: [second] })).status,
    ).toBe(200);
    expect(
      v.parse(
        UsageCost,
        await (
          await server.call(eve, 'POST', `${organizationOf(eve)}usage/cost/`, { ...MAY, project_ids: [second] })
        ).json(),
      ).totals,
    ).toEqual({ cost_micros: 0 });
  });

  it('is reached by no route of the project', async () => {
    await use(ada.projectId, '2026-05-01T12:00:00Z', 5);
    expect((await remove(projectOf(ada))).status).toBe(204);
    for (const what of ['cost', 'activity'])
      expect(await outcomeOf(await server.call(ada, 'POST', `${projectOf(ada)}usage/${what}/`, MAY))).toBe(
        '404 not_found',
      );
    const logs = `${server.url}/v1/usage-logs?start_time=2026-05-01T00:00:00Z&end_time=2026-05-03T00:00:00Z`;
    expect(await outcomeOf(await fetch(logs, { headers: bearer(ada) }))).toBe('404 project_not_found');
    expect(await rows()).toHaveLength(1);
  });

  it('still tells by which key it was asked for, though the key is gone', async () => {
    const { api_key } = await (await server.call(ada, 'POST', `${projectOf(ada)}api-keys/`, { name: 'CI' })).json();
    await use(ada.projectId, '2026-05-01T12:00:00Z', 5, api_key.uuid);
    const before = await rows();
    expect((await remove(projectOf(ada))).status).toBe(204);
    expect(
      await server.services.db.selectFrom('api_keys').selectAll().where('project_id', '=', ada.projectId).execute(),
    ).toEqual([]);
    expect(await rows()).toEqual(before);
  });

  it('counts up to its last second, also of a stream that the deletion ends', async () => {
    const client = await begin(server, { api_key: await liveKey(server, ada) });
    client.socket.send(Buffer.alloc(16_000));
    await eventually(() => expect(server.engine.streams.at(-1)?.audioMs).toBe(500));
    expect((await remove(projectOf(ada))).status).toBe(204);
    expect(await failure(client)).toMatchObject({ error_code: 401 });
    await eventually(async () =>
      expect(await rows()).toEqual([expect.objectContaining({ status: 'failed', audio_ms: 500, cost_micros: 17 })]),
    );
    const today = new Date().toISOString().slice(0, 10);
    expect((await cost(ada, { start_date: today, end_date: today })).totals).toEqual({ cost_micros: 17 });
  });

  it('MET-01 MET-03: counts each file once that waits or runs when it is deleted, whatever else ends it at that moment', async () => {
    const { id: file_id } = await uploaded(server, ada);
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1)
      ids.push(
        (await (await call(server, ada, 'POST', '/transcriptions', { model: 'stt-async-v5', file_id })).json()).id,
      );
    await eventually(async () =>
      expect((await (await call(server, ada, 'GET', `/transcriptions/${ids[0]}`)).json()).status).toBe('processing'),
    );
    const [removal] = await Promise.all([
      remove(projectOf(ada)),
      ...ids.slice(4, 8).map((id) => call(server, ada, 'DELETE', `/transcriptions/${id}`)),
      ...ids.slice(6, 10).map((id) => call(server, ada, 'POST', `/transcriptions/${id}/cancel`)),
    ]);
    expect(removal.status).toBe(204);
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
    const second = await addProject(server, ada, 'Second');
    await use(ada.projectId, '2026-05-01T12:00:00Z', 5);
    await use(second, '2026-05-01T12:00:00Z', 5);
    expect((await remove(`/api/v2/projects/${second}/`)).status).toBe(204);
    const client = await begin(server, { api_key: await liveKey(server, ada) });
    client.socket.send(Buffer.alloc(16_000));
    await eventually(() => expect(server.engine.streams.at(-1)?.audioMs).toBe(500));
    expect((await remove(organizationOf(ada))).status).toBe(204);
    expect(await failure(client)).toMatchObject({ error_code: 401 });
    await eventually(async () =>
      expect(
        await server.services.db
          .selectFrom('live_sessions')
          .selectAll()
          .where('project_id', '=', ada.projectId)
          .execute(),
      ).toEqual([]),
    );
    expect([...(await rows()), ...(await rows(second))]).toEqual([]);
    expect(
      await server.services.db
        .selectFrom('deleted_projects')
        .selectAll()
        .where('organization_id', '=', ada.organizationId)
        .execute(),
    ).toEqual([]);
  });
});
