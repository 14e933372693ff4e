import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiKeyCreated } from '#contract/api-keys.ts';
import { ProjectHome } from '#contract/project-home.ts';
import { findApiKey } from '#server/tenancy/api-keys/keys.ts';
import { signAccess } from '#server/identity/auth.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { addProject, colleague, projectOf, recordUse } from '../people.ts';

let now = new Date('2026-05-15T12:00:00Z');
let server: TestServer;
let ada: TestUser;
beforeAll(async () => {
  server = await startTestServer({ overrides: { clock: () => now } });
});
afterAll(() => server.close());
beforeEach(async () => {
  now = new Date('2026-05-15T12:00:00Z');
  ada = await server.createUser();
});

const call = async (by: TestUser, method: string, path: string, body?: object): Promise<Response> => {
  const { access } = await signAccess(server.services, by);
  return server.call({ ...by, access }, method, path, body);
};
async function home(by = ada): Promise<ProjectHome> {
  const answer = await call(by, 'GET', `${projectOf(ada)}home/`);
  expect(answer.status).toBe(200);
  return v.parse(ProjectHome, await answer.json());
}

const makeKey = async (): Promise<ApiKeyCreated> =>
  v.parse(ApiKeyCreated, await (await call(ada, 'POST', `${projectOf(ada)}api-keys/`, { name: 'CI' })).json());

async function transcribe(filename: string, projectId = ada.projectId): Promise<void> {
  await server.services.db
    .insertInto('transcriptions')
    .values({
      id: randomUUID(),
      project_id: projectId,
      status: 'completed',
      model: 'parlance-async-1',
      filename,
      audio_duration_ms: 4200,
      enable_speaker_diarization: false,
      enable_language_identification: false,
      origin: 'playground',
      created_at: now,
    })
    .execute();
}

describe('the home of a project', () => {
  it('ONB-20 ONB-21: nothing was done yet', async () => {
    expect(await home()).toEqual({
      period: { start: '2026-05-01T00:00:00.000Z', end: now.toISOString() },
      totals: { requests: 0, audio_ms: 0, cost_micros: 0 },
      steps: { transcribed: false, key_created: false, key_used: false },
      recent: [],
    });
  });

  it('ONB-20: this month of this project alone, UTC', async () => {
    const second = await addProject(server, ada, 'Second');
    await recordUse(server, ada.projectId, '2026-04-30T23:59:59.999Z', 1, 'completed', 1);
    await recordUse(server, ada.projectId, '2026-05-01T00:00:00Z', 10, 'completed', 10);
    await recordUse(server, ada.projectId, '2026-05-15T12:00:00Z', 100, 'failed');
    await recordUse(server, second, '2026-05-10T00:00:00Z', 1000, 'completed', 1000);
    expect((await home()).totals).toEqual({ requests: 2, audio_ms: 110, cost_micros: 10 });
  });

  it('ONB-21: a step is done once it was, also in another month; one that failed is not', async () => {
    await recordUse(server, ada.projectId, '2026-05-10T00:00:00Z', 1, 'failed');
    await recordUse(server, await addProject(server, ada, 'Second'), '2026-05-10T00:00:00Z', 1);
    expect((await home()).steps).toEqual({ transcribed: false, key_created: false, key_used: false });
    await recordUse(server, ada.projectId, '2025-01-10T00:00:00Z', 1);
    expect((await home()).steps.transcribed).toBe(true);

    const { key, api_key } = await makeKey();
    expect((await home()).steps).toEqual({ transcribed: true, key_created: true, key_used: false });
    await findApiKey(server.services.db, key, now);
    expect((await home()).steps.key_used).toBe(true);
    expect((await call(ada, 'DELETE', `${projectOf(ada)}api-keys/${api_key.uuid}/`)).status).toBe(204);
    expect((await home()).steps).toEqual({ transcribed: true, key_created: true, key_used: true });
    // The logs of that year are removed for their age.
    await server.services.db.deleteFrom('log_days').execute();
    expect((await home()).steps.transcribed).toBe(true);
  });

  it('ONB-20: the last five transcriptions of this project, the newest first', async () => {
    for (const name of ['1', '2', '3', '4', '5', '6']) await transcribe(`${name}.wav`);
    await transcribe('elsewhere.wav', await addProject(server, ada, 'Second'));
    const { recent } = await home();
    expect(recent?.map(({ filename }) => filename)).toEqual(['6.wav', '5.wav', '4.wav', '3.wav', '2.wav']);
    expect(recent?.[0]).toMatchObject({ status: 'completed', audio_duration_ms: 4200, created_at: now.toISOString() });
  });

  it('ONB-20: a role that does not use the playground sees figures and no transcriptions', async () => {
    await transcribe('secret.wav');
    const billing = await colleague(server, ada, 'billing');
    const member = await colleague(server, ada, 'member');
    expect((await home(billing)).recent).toBeNull();
    expect((await home(member)).recent).toHaveLength(1);
  });

  it('ONB-22: one key tells whether it was used; once revoked, it is not there', async () => {
    const { key, api_key } = await makeKey();
    const path = `${projectOf(ada)}api-keys/${api_key.uuid}/`;
    expect(await (await call(ada, 'GET', path)).json()).toEqual(api_key);
    await findApiKey(server.services.db, key, now);
    expect(await (await call(ada, 'GET', path)).json()).toEqual({ ...api_key, last_used_at: now.toISOString() });
    await call(ada, 'DELETE', path);
    expect((await call(ada, 'GET', path)).status).toBe(404);
  });
});
