/**
 * The rules of the public speech API that hold for every call (its sections 2 and 7), row by row, as a program with a
 * project's key meets them.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { FilePage, StoredFile, UPLOAD_MAX_BYTES } from '#contract/files.ts';
import { EngineError } from '#server/engine/port.ts';
import { faultsOf, MODEL, refusal } from './client.ts';
import { deferred } from './live/live-harness.ts';
import { restFixture } from './rest-fixture.ts';

const { rest, call, create, mint, post, reaches, read, stored, transcript, upload } = restFixture();

describe('§2 conventions', () => {
  it('an upload is multipart: a `file` of at most 1 GiB, and an optional `client_reference_id` of at most 256 characters', async () => {
    const client_reference_id = 'x'.repeat(256);
    const file = { filename: 'talk.wav', size: 4, client_reference_id };
    expect(v.parse(StoredFile, await (await upload({ client_reference_id })).json())).toMatchObject(file);
    expect((await upload({ client_reference_id: `${client_reference_id}x` })).status).toBe(400);
    expect([UPLOAD_MAX_BYTES, rest.server.speech.maxUploadBytes]).toEqual([1_073_741_824, 1_073_741_824]);
  });

  it('a project keeps 1,000 files and 2,000 transcriptions, where nothing else is set', () => {
    expect(rest.server.speech.storedItemLimits).toEqual({ files: 1000, transcriptions: 2000 });
  });

  it('each optional field may be null, and fields that are not known are no error', async () => {
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
    await create({ ...Object.fromEntries(optional.map((field) => [field, null])), something_new: true });
    const nothing = { client_reference_id: null, single_use: null, max_session_duration_seconds: null };
    expect((await mint(nothing)).status).toBe(201);
  });
});

describe('§2 paging', () => {
  /** As the public client goes through pages: until the cursor is null, and never by a key that is missing. */
  const walk = async (list: 'files' | 'transcriptions'): Promise<string[]> => {
    const ids: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 10; pages += 1) {
      const answer = await call('GET', `/${list}?limit=2&cursor=${encodeURIComponent(cursor)}`);
      const page: Record<string, unknown> = await answer.json();
      expect(Object.keys(page).toSorted()).toEqual([list, 'next_page_cursor'].toSorted());
      ids.push(...v.parse(v.array(v.object({ id: v.string() })), page[list]).map(({ id }) => id));
      cursor = v.parse(v.nullable(v.string()), page['next_page_cursor']);
    }
    return ids;
  };

  it('LIB-01: lists read newest first until `next_page_cursor` is null; an empty cursor is the first page, a bad one is 400', async () => {
    expect(await walk('transcriptions')).toEqual([]);
    const files: string[] = [];
    const transcriptions: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const file_id = (await stored()).id;
      files.unshift(file_id);
      transcriptions.unshift((await create({ file_id })).id);
    }
    expect(await walk('files')).toEqual(files);
    expect(await walk('transcriptions')).toEqual(transcriptions);
    // Deleting what a cursor points at breaks nothing.
    const first = await read(FilePage, '/files?limit=2');
    await call('DELETE', `/files/${files[1]}`);
    const next = await read(FilePage, `/files?limit=2&cursor=${first.next_page_cursor}`);
    expect(next.files.map(({ id }) => id)).toEqual(files.slice(2, 4));
    for (const list of ['/files', '/transcriptions'])
      expect(await refusal(await call('GET', `${list}?cursor=nonsense`))).toEqual([
        400,
        'invalid_cursor',
        expect.any(String),
      ]);
  });

  it('without `limit` a page has 1000', async () => {
    await sql`insert into files (id, project_id, filename, size, origin, created_at)
      select gen_random_uuid(), ${rest.user.projectId}, 'talk ' || n, 4, 'public_api', now() from generate_series(1, 1001) n`.execute(
      rest.server.services.db,
    );
    const first = await read(FilePage, '/files');
    const names = first.files.map(({ filename }) => filename);
    expect([names.length, names[0], names.at(-1)]).toEqual([1000, 'talk 1001', 'talk 2']);
    expect(await read(FilePage, '/files?cursor=')).toEqual(first);
    expect(await read(FilePage, `/files?cursor=${first.next_page_cursor}`)).toMatchObject({
      files: [{ filename: 'talk 1' }],
      next_page_cursor: null,
    });
  });
});

describe('§2 errors', () => {
  it('400 invalid_request: with the places that are wrong', async () => {
    const response = await call('POST', '/transcriptions', {});
    expect((await response.clone().json()).validation_errors).toEqual([
      { error_type: 'missing', location: 'body.payload.model', message: 'Field required' },
    ]);
    expect(await refusal(response)).toEqual([400, 'invalid_request', 'Invalid request.']);
    expect(await faultsOf(await upload({}, undefined, 'other'))).toEqual([expect.stringMatching(/^file\.file: /)]);
    for (const broken of ['{', '[]', '"x"', 'null', ''])
      expect((await refusal(await call('POST', '/transcriptions', broken))).slice(0, 2)).toEqual([
        400,
        'invalid_request',
      ]);
  });

  it('404 file_not_found, transcription_not_found', async () => {
    const noFile = [404, 'file_not_found', 'File could not be found.'];
    const noTranscription = [404, 'transcription_not_found', 'Transcription could not be found.'];
    for (const id of [randomUUID(), 'no-uuid'])
      for (const [method, path, told] of [
        ['GET', `/files/${id}`, noFile],
        ['GET', `/files/${id}/url`, noFile],
        ['DELETE', `/files/${id}`, noFile],
        ['GET', `/transcriptions/${id}`, noTranscription],
        ['GET', `/transcriptions/${id}/transcript`, noTranscription],
        ['DELETE', `/transcriptions/${id}`, noTranscription],
      ] as const)
        expect([method, path, await refusal(await call(method, path))]).toEqual([method, path, told]);
    expect(await refusal(await post({ file_id: randomUUID() }))).toEqual(noFile);
  });

  it('409 transcription_invalid_state: waiting, under way, gone, failed', async () => {
    const refused = async (message: string, method: string, path: string) =>
      expect(await refusal(await call(method, `/transcriptions/${path}`))).toEqual([
        409,
        'transcription_invalid_state',
        message,
      ]);
    const gate = deferred();
    rest.transcribe = async () => (await gate.promise, []);
    const { id } = await create();
    await reaches(id, 'processing');
    await refused('Can only get transcript with completed status.', 'GET', `${id}/transcript`);
    await refused('Cannot delete transcription with processing status.', 'DELETE', id);
    // The one worker is busy.
    const waiting = await create();
    await refused('Can only get transcript with completed status.', 'GET', `${waiting.id}/transcript`);
    await reaches(waiting.id, 'queued');
    gate.resolve();
    await reaches(id, 'completed');
    expect(await transcript(id)).toEqual({ id, text: '', tokens: [] });
    await rest.server.services.db.deleteFrom('transcripts').where('transcription_id', '=', id).execute();
    await refused('Transcript no longer available.', 'GET', `${id}/transcript`);
    rest.decoding = () => new EngineError('invalid_audio', 'damaged');
    const failed = await create();
    await reaches(failed.id, 'error');
    await refused('File transcription has failed.', 'GET', `${failed.id}/transcript`);
    expect((await call('DELETE', `/transcriptions/${failed.id}`)).status).toBe(204);
  });

  it('413 request_too_large: JSON of more than a megabyte, told to pages of other origins, too', async () => {
    const payload = { model: MODEL, context: 'x'.repeat(1_100_000) };
    const response = await call('POST', '/transcriptions', payload, { origin: 'https://app.example' });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    const exposed = response.headers.get('access-control-expose-headers');
    expect([exposed?.includes('x-request-id'), exposed?.includes('retry-after')]).toEqual([true, true]);
    expect((await response.clone().json()).validation_errors).toEqual([]);
    expect(await refusal(response)).toEqual([413, 'request_too_large', 'The request is too large.']);
  });

  it('an unknown address and a wrong method are told in the same form', async () => {
    expect((await refusal(await call('GET', '/nothing'))).slice(0, 2)).toEqual([404, 'not_found']);
    expect((await refusal(await call('PUT', '/files'))).slice(0, 2)).toEqual([405, 'method_not_allowed']);
  });
});

it('§7 CORS: a preflight for a Bearer and a multipart body, and headers on answers and refusals alike', async () => {
  const origin = 'https://app.example';
  for (const [path, method] of [
    ['/files', 'POST'],
    [`/files/${randomUUID()}`, 'DELETE'],
    ['/transcriptions', 'GET'],
  ] as const) {
    const { status, headers } = await fetch(`${rest.server.url}/v1${path}`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type,x-client',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')).toContain(method);
    expect(headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-client');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  }
  for (const [path, more] of [
    ['/files', {}],
    [`/files/${randomUUID()}`, {}],
    ['/files', { authorization: '' }],
  ] as const)
    expect((await call('GET', path, undefined, { origin, ...more })).headers.get('access-control-allow-origin')).toBe(
      '*',
    );
});
