/** The rules of the public speech API that hold for every call (its sections 2 and 7), row by row, as a program with a project's key meets them. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import { PAGE_SIZE_MAX } from '#contract/fields.ts';
import { FilePage, StoredFile, UPLOAD_MAX_BYTES } from '#contract/files.ts';
import { TemporaryKey } from '#contract/temporary-keys.ts';
import { Transcription } from '#contract/transcriptions.ts';
import { EngineError } from '#server/engine/port.ts';
import { deferred } from './live/live-harness.ts';
import { ISO, MODEL, restClient, restFixture, UUID } from './rest-fixture.ts';

const rest = restFixture();
const { call, create, locations, post, reaches, read, refusal, stored, upload } = restClient(rest);

describe('§2 conventions', () => {
  it('Auth: Bearer with the key', async () => {
    expect((await call('GET', '/files')).status).toBe(200);
    expect(
      (await fetch(`${rest.server.url}/v1/files`, { headers: { authorization: `bearer ${rest.key}` } })).status,
    ).toBe(200);
    expect((await fetch(`${rest.server.url}/v1/files`)).status).toBe(401);
  });

  it('Bodies: upload is multipart with `file` and an optional `client_reference_id`, in any order', async () => {
    expect(v.parse(StoredFile, await (await upload({ client_reference_id: 'mine' })).json())).toMatchObject({
      filename: 'talk.wav',
      size: 4,
      client_reference_id: 'mine',
    });
    expect(v.parse(StoredFile, await (await upload({}, 'file')).json())).toMatchObject({
      filename: 'file',
      client_reference_id: null,
    });
  });

  it('Success codes: GET 200, creating POST 201, DELETE 204 with an empty body', async () => {
    const uploading = await upload();
    expect(uploading.status).toBe(201);
    const file = v.parse(StoredFile, await uploading.json());
    const creating = await call('POST', '/transcriptions', { model: MODEL, file_id: file.id });
    expect(creating.status).toBe(201);
    const { id } = v.parse(Transcription, await creating.json());
    await reaches(id, 'completed');
    expect(
      (await call('POST', '/auth/temporary-api-key', { usage_type: 'transcribe_websocket', expires_in_seconds: 60 }))
        .status,
    ).toBe(201);
    for (const path of [`/transcriptions/${id}`, `/files/${file.id}`]) {
      const response = await call('DELETE', path);
      expect([response.status, await response.text()]).toEqual([204, '']);
    }
  });

  it('Ids, times: UUIDs and ISO 8601 in UTC', async () => {
    const made = await create();
    const file = await stored();
    for (const { id, created_at } of [made, file]) {
      expect(id).toMatch(UUID);
      expect(created_at).toMatch(ISO);
    }
  });

  it('Optional fields: each may be null', async () => {
    const optional = [
      'audio_url',
      'language_hints',
      'language_hints_strict',
      'context',
      'enable_speaker_diarization',
      'enable_language_identification',
      'translation',
      'client_reference_id',
      'webhook_url',
      'webhook_auth_header_name',
      'webhook_auth_header_value',
    ];
    await create(Object.fromEntries(optional.map((field) => [field, null])));
    expect(
      (await call('POST', '/transcriptions', { model: MODEL, file_id: null, audio_url: `${rest.other.url}/a.wav` }))
        .status,
    ).toBe(201);
    expect(
      (
        await call('POST', '/auth/temporary-api-key', {
          usage_type: 'transcribe_websocket',
          expires_in_seconds: 60,
          client_reference_id: null,
          single_use: null,
          max_session_duration_seconds: null,
        })
      ).status,
    ).toBe(201);
  });

  it('fields that are not known are no error', async () => {
    await create({ something_new: true });
  });
});

describe('§2 paging', () => {
  /** As the public client goes through pages: until the cursor is null, and never by a key that is missing. */
  const walk = async (path: string, list: 'files' | 'transcriptions'): Promise<string[]> => {
    const ids: string[] = [];
    let cursor: string | null | undefined = '';
    for (let pages = 0; cursor !== null && pages < 10; pages += 1) {
      const page: Record<string, unknown> = await (
        await call('GET', `${path}?limit=2&cursor=${encodeURIComponent(String(cursor))}`)
      ).json();
      expect(Object.keys(page).toSorted()).toEqual([list, 'next_page_cursor'].toSorted());
      ids.push(...v.parse(v.array(v.object({ id: v.string() })), page[list]).map(({ id }) => id));
      cursor = v.parse(v.nullable(v.string()), page['next_page_cursor']);
    }
    return ids;
  };

  it('`next_page_cursor` is there and null at the end; an empty cursor is the first page; newest first', async () => {
    const files: string[] = [];
    const transcriptions: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const file = await stored();
      files.unshift(file.id);
      transcriptions.unshift(
        v.parse(Transcription, await (await call('POST', '/transcriptions', { model: MODEL, file_id: file.id })).json())
          .id,
      );
    }
    expect(await walk('/files', 'files')).toEqual(files);
    expect(await walk('/transcriptions', 'transcriptions')).toEqual(transcriptions);
    // Deleting what a cursor points at breaks nothing.
    const first = await read(FilePage, '/files?limit=2');
    await call('DELETE', `/files/${files[1]}`);
    expect((await read(FilePage, `/files?limit=2&cursor=${first.next_page_cursor}`)).files.map(({ id }) => id)).toEqual(
      files.slice(2, 4),
    );
  });

  it.each(['', '?cursor='])('without `limit` a page has 1000 (query "%s")', async (query) => {
    const { db } = rest.server.services;
    await sql`insert into files (id, project_id, filename, size, origin, created_at)
      select gen_random_uuid(), ${rest.projectId}, 'talk ' || n, 4, 'public_api', now() from generate_series(1, 1001) n`.execute(
      db,
    );
    const first = await read(FilePage, `/files${query}`);
    expect([first.files.length, first.files[0]?.filename, first.files.at(-1)?.filename]).toEqual([
      1000,
      'talk 1001',
      'talk 2',
    ]);
    const last = await read(FilePage, `/files?cursor=${first.next_page_cursor}`);
    expect([last.files.map(({ filename }) => filename), last.next_page_cursor]).toEqual([['talk 1'], null]);
  });

  it('`limit` is 1 to 1000', async () => {
    expect(PAGE_SIZE_MAX).toBe(1000);
    for (const limit of ['1', '1000']) expect((await call('GET', `/files?limit=${limit}`)).status).toBe(200);
    for (const limit of ['0', '1001', 'all'])
      expect((await refusal(await call('GET', `/transcriptions?limit=${limit}`)))[1]).toBe('invalid_request');
  });

  it('an empty list is one page', async () => {
    expect(await (await call('GET', '/transcriptions')).json()).toEqual({ transcriptions: [], next_page_cursor: null });
  });
});

describe('§2 errors', () => {
  it('400 invalid_request: with the places that are wrong', async () => {
    const response = await call('POST', '/transcriptions', {});
    expect(await response.clone().json()).toMatchObject({
      status_code: 400,
      error_type: 'invalid_request',
      message: 'Invalid request.',
      validation_errors: [{ error_type: 'missing', location: 'body.payload.model', message: 'Field required' }],
    });
    await refusal(response);
    const form = new FormData();
    form.append('other', new Blob(['x']), 'x');
    expect(
      await locations(
        await fetch(`${rest.server.url}/v1/files`, {
          method: 'POST',
          headers: { authorization: `Bearer ${rest.key}` },
          body: form,
        }),
      ),
    ).toEqual(['file.file']);
    expect(
      await locations(await call('POST', '/auth/temporary-api-key', { usage_type: 'transcribe_websocket' })),
    ).toEqual(['body.payload.expires_in_seconds']);
    for (const body of ['{', '[]', '"x"', 'null', '']) {
      const broken = await fetch(`${rest.server.url}/v1/transcriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${rest.key}`, 'content-type': 'application/json' },
        body,
      });
      expect((await refusal(broken)).slice(0, 2)).toEqual([400, 'invalid_request']);
    }
  });

  it('400 invalid_request: a file of more than 1073741824 bytes', () => {
    expect([UPLOAD_MAX_BYTES, rest.server.speech.maxUploadBytes]).toEqual([1_073_741_824, 1_073_741_824]);
  });

  it('400 invalid_cursor', async () => {
    for (const list of ['/files', '/transcriptions'])
      expect((await refusal(await call('GET', `${list}?cursor=nonsense`))).slice(0, 2)).toEqual([
        400,
        'invalid_cursor',
      ]);
  });

  it('400 model_not_available', async () => {
    expect(await refusal(await post({ model: 'stt-async-v99' }))).toEqual([
      400,
      'model_not_available',
      'Invalid model specified.',
    ]);
  });

  it('401 unauthenticated: a missing, wrong or expired key, or a temporary one', async () => {
    const message = `Incorrect API key provided. You can get an API key at ${rest.server.url}`;
    const { api_key } = v.parse(
      TemporaryKey,
      await (
        await call('POST', '/auth/temporary-api-key', { usage_type: 'transcribe_websocket', expires_in_seconds: 60 })
      ).json(),
    );
    const expired = await rest.newKey('2020-01-01T00:00:00Z');
    for (const wrong of [
      undefined,
      'Bearer ',
      'Bearer nonsense',
      `Basic ${rest.key}`,
      `Bearer ${rest.key}x`,
      `Bearer ${api_key}`,
      `Bearer ${expired}`,
    ]) {
      const response = await fetch(`${rest.server.url}/v1/models`, { headers: wrong ? { authorization: wrong } : {} });
      expect(await refusal(response)).toEqual([401, 'unauthenticated', message]);
    }
  });

  it('404 file_not_found, transcription_not_found', async () => {
    for (const id of [randomUUID(), 'no-uuid']) {
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/url'],
        ['DELETE', ''],
      ] as const)
        expect(await refusal(await call(method, `/files/${id}${path}`))).toEqual([
          404,
          'file_not_found',
          'File could not be found.',
        ]);
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/transcript'],
        ['DELETE', ''],
      ] as const)
        expect(await refusal(await call(method, `/transcriptions/${id}${path}`))).toEqual([
          404,
          'transcription_not_found',
          'Transcription could not be found.',
        ]);
    }
    expect(
      (await refusal(await call('POST', '/transcriptions', { model: MODEL, file_id: randomUUID() }))).slice(0, 2),
    ).toEqual([404, 'file_not_found']);
  });

  it('409 transcription_invalid_state: waiting, under way, gone, failed', async () => {
    const gate = deferred();
    rest.transcribe = async () => (await gate.promise, []);
    const { id } = await create();
    await reaches(id, 'processing');
    expect(await refusal(await call('GET', `/transcriptions/${id}/transcript`))).toEqual([
      409,
      'transcription_invalid_state',
      'Can only get transcript with completed status.',
    ]);
    expect(await refusal(await call('DELETE', `/transcriptions/${id}`))).toEqual([
      409,
      'transcription_invalid_state',
      'Cannot delete transcription with processing status.',
    ]);
    // The one worker is busy.
    const waiting = await create();
    expect(await refusal(await call('GET', `/transcriptions/${waiting.id}/transcript`))).toEqual([
      409,
      'transcription_invalid_state',
      'Can only get transcript with completed status.',
    ]);
    expect((await read(Transcription, `/transcriptions/${waiting.id}`)).status).toBe('queued');
    gate.resolve();
    await reaches(id, 'completed');
    await rest.server.services.db.deleteFrom('transcripts').where('transcription_id', '=', id).execute();
    expect(await refusal(await call('GET', `/transcriptions/${id}/transcript`))).toEqual([
      409,
      'transcription_invalid_state',
      'Transcript no longer available.',
    ]);
    rest.decoding = () => new EngineError('invalid_audio', 'damaged');
    const failed = await create();
    await reaches(failed.id, 'error');
    expect(await refusal(await call('GET', `/transcriptions/${failed.id}/transcript`))).toEqual([
      409,
      'transcription_invalid_state',
      'File transcription has failed.',
    ]);
  });

  it('413 request_too_large: JSON of more than a megabyte, told to pages of other origins, too', async () => {
    const response = await call(
      'POST',
      '/transcriptions',
      { model: MODEL, context: 'x'.repeat(1_100_000) },
      { origin: 'https://app.example' },
    );
    expect([
      response.headers.get('access-control-allow-origin'),
      response.headers.get('access-control-expose-headers'),
    ]).toEqual(['*', expect.stringContaining('x-request-id')]);
    expect(await response.clone().json()).toMatchObject({ validation_errors: [] });
    expect(await refusal(response)).toEqual([413, 'request_too_large', 'The request is too large.']);
  });

  it('429 limit_exceeded', async () => {
    await rest.server.services.db
      .insertInto('project_limits')
      .values({ project_id: rest.projectId, name: 'requests_per_minute', own: 1 })
      .execute();
    await create();
    const response = await post();
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await refusal(response)).slice(0, 2)).toEqual([429, 'limit_exceeded']);
  });

  it('500 internal_error: without a word on what happened', async () => {
    const broken = vi.spyOn(rest.server.speech.models, 'resolve').mockImplementation(() => {
      throw new Error('secret');
    });
    const response = await post();
    broken.mockRestore();
    expect(await response.clone().text()).not.toContain('secret');
    expect((await refusal(response)).slice(0, 2)).toEqual([500, 'internal_error']);
  });

  it('an unknown address and a wrong method are told in the same form', async () => {
    expect((await refusal(await call('GET', '/nothing'))).slice(0, 2)).toEqual([404, 'not_found']);
    expect((await refusal(await call('PUT', '/files'))).slice(0, 2)).toEqual([405, 'method_not_allowed']);
  });
});

describe('§7 pages of other origins', () => {
  it('15. CORS: a preflight for a Bearer and a multipart body, and headers on answers and refusals alike', async () => {
    const origin = 'https://app.example';
    for (const [path, method] of [
      ['/files', 'POST'],
      [`/files/${randomUUID()}`, 'DELETE'],
      ['/transcriptions', 'GET'],
    ] as const) {
      const preflight = await fetch(`${rest.server.url}/v1${path}`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type,x-client',
        },
      });
      expect(preflight.status).toBe(204);
      expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
      expect(preflight.headers.get('access-control-allow-methods')).toContain(method);
      expect(preflight.headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-client');
      expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
    }
    for (const response of [
      await call('GET', '/files', undefined, { origin }),
      await call('GET', `/files/${randomUUID()}`, undefined, { origin }),
      await fetch(`${rest.server.url}/v1/files`, { headers: { origin } }),
    ])
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
  });
});
