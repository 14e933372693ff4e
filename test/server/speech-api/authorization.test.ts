import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ModelList } from '#contract/models.ts';
import { TemporaryKey } from '#contract/temporary-keys.ts';
import type { TestUser } from '../harness.ts';
import { bearer, call, refusalOf, startSpeechServer, uploaded, type SpeechServer } from './harness.ts';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer();
  user = await server.createUser();
});
afterAll(() => server.close());

const get = (path: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`${server.url}/v1${path}`, { headers });

describe('who may call', () => {
  it('API-02: the JSON-wrapped token with the project opens the speech API', async () => {
    expect((await get('/files', bearer(user))).status).toBe(200);
  });

  it.each([
    ['nothing', undefined],
    ['a bare access token', () => `Bearer ${user.access}`],
    ['an unknown key', () => 'Bearer prl_0123456789'],
    [
      'a bad token',
      () => `Bearer ${JSON.stringify({ type: 'jwt', project_id: user.projectId, token: `${user.access}x` })}`,
    ],
    ['another type', () => `Bearer ${JSON.stringify({ type: 'key', project_id: user.projectId, token: user.access })}`],
    ['no project', () => `Bearer ${JSON.stringify({ type: 'jwt', token: user.access })}`],
    ['no Bearer', () => JSON.stringify({ type: 'jwt', project_id: user.projectId, token: user.access })],
  ])('API-02: %s → 401', async (_name, header) => {
    for (const path of ['/files', '/models', '/transcriptions/count']) {
      const response = await get(path, header ? { authorization: header() } : {});
      expect(response.status).toBe(401);
      expect(await refusalOf(response)).toMatchObject({
        status_code: 401,
        error_type: 'unauthenticated',
        message: `Incorrect API key provided. You can get an API key at ${server.url}`,
        validation_errors: [],
      });
    }
  });

  it('a project’s key opens the speech API as well', async () => {
    const { key } = await (
      await server.call(user, 'POST', `/api/v2/projects/${user.projectId}/api-keys/`, { name: 'CI' })
    ).json();
    for (const path of ['/files', '/models', '/transcriptions/count'])
      expect((await get(path, { authorization: `Bearer ${key}` })).status).toBe(200);
    expect((await get('/files', { authorization: `bearer ${key}` })).status).toBe(200);
    expect((await get('/files', { authorization: key })).status).toBe(401);
    expect((await get('/files', { authorization: `Bearer ${key}0` })).status).toBe(401);
  });

  it('an expired token → 401', async () => {
    const expired = await server.createUser();
    server.advance(601_000);
    expect((await get('/files', bearer(expired))).status).toBe(401);
    server.advance(-601_000);
  });

  it('a project that is not the user’s, or does not exist → 404, never 403', async () => {
    const stranger = await server.createUser();
    for (const project of [stranger.projectId, randomUUID()]) {
      const response = await get('/files', bearer(user, project));
      expect([response.status, (await refusalOf(response)).error_type]).toEqual([404, 'project_not_found']);
    }
  });

  it('what belongs to another project does not exist', async () => {
    const stranger = await server.createUser();
    const file = await uploaded(server, stranger);
    const transcription = await (
      await call(server, stranger, 'POST', '/transcriptions', { model: 'parlance-async-1', file_id: file.id })
    ).json();
    for (const [method, path] of [
      ['GET', `/files/${file.id}`],
      ['GET', `/files/${file.id}/url`],
      ['DELETE', `/files/${file.id}`],
      ['GET', `/transcriptions/${transcription.id}`],
      ['GET', `/transcriptions/${transcription.id}/transcript`],
      ['DELETE', `/transcriptions/${transcription.id}`],
    ] as const)
      expect((await call(server, user, method, path)).status).toBe(404);
    expect((await (await call(server, user, 'GET', '/files')).json()).files).toEqual([]);
    expect((await call(server, stranger, 'GET', `/files/${file.id}`)).status).toBe(200);
  });

  it('pages of other origins may call with a Bearer', async () => {
    const response = await fetch(`${server.url}/v1/files`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });
});

describe('models', () => {
  it('lists what is real, and aliases for the names that other clients use', async () => {
    const { models } = v.parse(ModelList, await (await call(server, user, 'GET', '/models')).json());
    const real = models.filter(({ aliased_model_id }) => aliased_model_id === null);
    expect(real.map(({ id, transcription_mode }) => [id, transcription_mode])).toEqual([
      ['parlance-rt-1', 'real_time'],
      ['parlance-async-1', 'async'],
    ]);
    for (const model of models)
      expect(model).toMatchObject({
        languages: [{ code: 'en', name: 'English' }],
        context_version: 2,
        one_way_translation: null,
        two_way_translation: null,
        translation_targets: [],
        two_way_translation_pairs: [],
      });
    for (const alias of models.filter(({ aliased_model_id }) => aliased_model_id !== null)) {
      const target = real.find(({ id }) => id === alias.aliased_model_id);
      expect(target?.transcription_mode).toBe(alias.transcription_mode);
    }
    expect(models.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['stt-rt-v5', 'stt-async-v5', 'stt-rt-preview', 'stt-async-preview']),
    );
  });
});

describe('temporary keys', () => {
  const mint = (body: object): Promise<Response> => call(server, user, 'POST', '/auth/temporary-api-key', body);

  it('LIV-14: a fresh key for every session, fit for a subprotocol, never stored as such', async () => {
    const response = await mint({
      usage_type: 'transcribe_websocket',
      expires_in_seconds: 60,
      client_reference_id: null,
      single_use: true,
    });
    expect(response.status).toBe(201);
    const key = v.parse(TemporaryKey, await response.json());
    expect(key.api_key).toMatch(/^prl_temp_[\w-]{43}$/);
    expect(Math.abs(Date.parse(key.expires_at) - Date.now() - 60_000)).toBeLessThan(10_000);
    const second = v.parse(
      TemporaryKey,
      await (await mint({ usage_type: 'transcribe_websocket', expires_in_seconds: 60 })).json(),
    );
    expect(second.api_key).not.toBe(key.api_key);
    expect(JSON.stringify(await server.services.db.selectFrom('temporary_keys').selectAll().execute())).not.toContain(
      key.api_key.slice(9),
    );
  });

  it('opens no other door', async () => {
    const { api_key } = v.parse(
      TemporaryKey,
      await (await mint({ usage_type: 'transcribe_websocket', expires_in_seconds: 60 })).json(),
    );
    expect((await get('/files', { authorization: `Bearer ${api_key}` })).status).toBe(401);
  });

  it.each([
    [{ expires_in_seconds: 60 }, 'usage_type'],
    [{ usage_type: 'tts_rt', expires_in_seconds: 60 }, 'usage_type'],
    [{ usage_type: 'transcribe_websocket' }, 'expires_in_seconds'],
    [{ usage_type: 'transcribe_websocket', expires_in_seconds: 0 }, 'expires_in_seconds'],
    [{ usage_type: 'transcribe_websocket', expires_in_seconds: 3601 }, 'expires_in_seconds'],
    [
      { usage_type: 'transcribe_websocket', expires_in_seconds: 60, max_session_duration_seconds: 18_001 },
      'max_session_duration_seconds',
    ],
    [
      { usage_type: 'transcribe_websocket', expires_in_seconds: 60, client_reference_id: 'x'.repeat(257) },
      'client_reference_id',
    ],
  ])('refuses %j', async (body, field) => {
    const response = await mint(body);
    expect(response.status).toBe(400);
    expect(await refusalOf(response)).toMatchObject({
      error_type: 'invalid_request',
      validation_errors: [{ location: `body.payload.${field}` }],
    });
  });

  it('forgets keys a day after they expired', async () => {
    await mint({ usage_type: 'transcribe_websocket', expires_in_seconds: 1 });
    const count = async (): Promise<number> =>
      (await server.services.db.selectFrom('temporary_keys').select('key_hash').execute()).length;
    const before = await count();
    server.advance(2 * 86_400_000);
    const late = await server.createUser();
    await call(server, late, 'POST', '/auth/temporary-api-key', {
      usage_type: 'transcribe_websocket',
      expires_in_seconds: 60,
    });
    server.advance(-2 * 86_400_000);
    expect(before).toBeGreaterThan(1);
    expect(await count()).toBe(1);
  });
});
