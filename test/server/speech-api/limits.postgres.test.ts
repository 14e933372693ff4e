import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Transcription } from '#contract/transcriptions.ts';
import { REST_LIMITS } from '#server/speech-api/limits.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { call, refusalOf, startSpeechServer, upload, uploaded, type SpeechServer } from './harness.ts';
import { deferred } from './live/live-harness.ts';

const MODEL = 'stt-async-v5';
let server: SpeechServer;
let user: TestUser;
/** What is waited for before anything is transcribed. */
let gate: Promise<void>;

beforeAll(async () => {
  server = await startSpeechServer({
    engine: { transcribe: async () => (await gate, []) },
    restLimits: { files: 3, transcriptions: 4 },
    limitDefaults: { stored_bytes: 100, waiting_jobs: 2, requests_per_minute: 6 },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  gate = Promise.resolve();
  user = await server.createUser();
});

const create = (fileId: string, owner = user): Promise<Response> =>
  call(server, owner, 'POST', '/transcriptions', { model: MODEL, file_id: fileId });
const ended = (id: string): Promise<void> =>
  eventually(async () => {
    const { status }: Transcription = await (await call(server, user, 'GET', `/transcriptions/${id}`)).json();
    expect(status).toBe('completed');
  });
const stored = (): Promise<string[]> => readdir(join(server.dataDir, 'files'));

it('the limits are those of the public API', () => {
  expect(REST_LIMITS).toEqual({ files: 1000, transcriptions: 2000 });
});

describe('files', () => {
  it('one more than the most → 429, and its bytes are not kept; another project has its own count; deleting makes room', async () => {
    const files = [];
    for (let n = 0; n < 3; n += 1) files.push(await uploaded(server, user));
    const before = await stored();
    const put = vi.spyOn(server.speech.storage, 'put');
    const refused = await upload(server, user, new Uint8Array(50));
    expect(refused.status).toBe(429);
    expect(await refusalOf(refused)).toMatchObject({
      status_code: 429,
      error_type: 'limit_exceeded',
      message: 'This project keeps 3 files, the most there can be. Delete some of them.',
      validation_errors: [],
    });
    expect(put).not.toHaveBeenCalled();
    put.mockRestore();
    expect(await stored()).toEqual(before);
    expect((await upload(server, await server.createUser())).status).toBe(201);
    await call(server, user, 'DELETE', `/files/${files[0]?.id}`);
    expect((await upload(server, user)).status).toBe(201);
  });

  it('bytes beyond the most → 429, to the byte', async () => {
    expect((await upload(server, user, new Uint8Array(60))).status).toBe(201);
    const before = await stored();
    const refused = await upload(server, user, new Uint8Array(41));
    expect(refused.status).toBe(429);
    expect(await refusalOf(refused)).toMatchObject({
      error_type: 'limit_exceeded',
      message: 'The files of this organization may have 100 bytes together. Delete some of them.',
    });
    expect(await stored()).toEqual(before);
    expect((await upload(server, user, new Uint8Array(40))).status).toBe(201);
  });

  it('uploads at the same time cannot all take the last place', async () => {
    for (let n = 0; n < 2; n += 1) await uploaded(server, user);
    const before = await stored();
    const statuses = (await Promise.all([1, 2, 3].map(() => upload(server, user)))).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 429, 429]);
    expect(await stored()).toHaveLength(before.length + 1);
  });
});

describe('transcriptions', () => {
  it('pending ones: one more than the most → 429 until one has ended', async () => {
    const opened = deferred();
    gate = opened.promise;
    const file = await uploaded(server, user);
    const first: Transcription = await (await create(file.id)).json();
    const second: Transcription = await (await create(file.id)).json();
    const refused = await create(file.id);
    expect(refused.status).toBe(429);
    expect(await refusalOf(refused)).toMatchObject({
      error_type: 'limit_exceeded',
      message:
        'This organization has 2 pending transcriptions, the most there can be. Wait until some of them have ended.',
    });
    opened.resolve();
    await ended(first.id);
    await ended(second.id);
    expect((await create(file.id)).status).toBe(201);
  });

  it('all of them: one more than the most → 429 until one is deleted', async () => {
    const file = await uploaded(server, user);
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const made: Transcription = await (await create(file.id)).json();
      await ended(made.id);
      ids.push(made.id);
    }
    const refused = await create(file.id);
    expect(refused.status).toBe(429);
    expect(await refusalOf(refused)).toMatchObject({
      error_type: 'limit_exceeded',
      message: 'This project has 4 transcriptions, the most there can be. Delete some of them.',
    });
    expect((await call(server, user, 'DELETE', `/transcriptions/${ids[0]}`)).status).toBe(204);
    expect((await create(file.id)).status).toBe(201);
  });
});

describe('calls', () => {
  const mint = (owner: TestUser): Promise<Response> =>
    call(server, owner, 'POST', '/auth/temporary-api-key', {
      usage_type: 'transcribe_websocket',
      expires_in_seconds: 1,
    });

  it('new transcriptions and temporary keys of an organization share a rate; retry-after tells when to come back', async () => {
    const file = await uploaded(server, user);
    await create(file.id);
    for (let n = 0; n < 5; n += 1) expect((await mint(user)).status).toBe(201);
    for (const refused of [await mint(user), await create(file.id)]) {
      expect(refused.status).toBe(429);
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(await refusalOf(refused)).toMatchObject({ status_code: 429, error_type: 'limit_exceeded' });
    }
    // What only reads is not counted, and other organizations are not concerned.
    for (const path of ['/transcriptions', '/files', '/models'])
      expect((await call(server, user, 'GET', path)).status).toBe(200);
    expect((await mint(await server.createUser())).status).toBe(201);
    server.advance(60_000);
    for (let n = 0; n < 6; n += 1) expect((await mint(user)).status).toBe(201);
    expect((await mint(user)).status).toBe(429);
    server.advance(-60_000);
  });

  it('pages of other origins may read retry-after', async () => {
    const response = await fetch(`${server.url}/v1/files`, { headers: { origin: 'https://app.example' } });
    expect(response.headers.get('access-control-expose-headers')).toContain('retry-after');
  });
});
