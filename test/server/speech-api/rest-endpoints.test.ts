/** The endpoints of the public speech API (its section 3), row by row, as a program with a project's key meets them. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { Counts, FilePage, FileUrl, StoredFile } from '#contract/files.ts';
import { ModelList } from '#contract/models.ts';
import { TemporaryKey } from '#contract/temporary-keys.ts';
import {
  Transcript,
  Transcription,
  TranscriptionPage,
  TRANSCRIPTION_STATUSES,
  type TranscriptToken,
} from '#contract/transcriptions.ts';
import { EngineError, type TranscribeOptions } from '#server/engine/port.ts';
import { eventually } from '../eventually.ts';
import { deferred } from './live/live-harness.ts';
import { ISO, MODEL, restClient, restFixture, UUID } from './rest-fixture.ts';

const rest = restFixture();
const { call, create, locations, post, reaches, read, refusal, stored, upload } = restClient(rest);

describe('§3 files', () => {
  it('POST /v1/files → File; GET by id → the same', async () => {
    const file = await stored();
    expect(file).toEqual({
      id: expect.stringMatching(UUID),
      filename: 'talk.wav',
      size: 4,
      created_at: expect.stringMatching(ISO),
      client_reference_id: null,
    });
    expect(await read(StoredFile, `/files/${file.id}`)).toEqual(file);
    expect((await read(FilePage, '/files?limit=1&cursor=')).files).toEqual([file]);
  });

  it('GET /v1/files/count', async () => {
    await stored();
    expect(await (await call('GET', '/files/count')).json()).toEqual({ total: 1, public_api: 1, playground: 0 });
  });

  it('GET /v1/files/{id}/url: loads without a key, in parts, for an hour', async () => {
    const { url } = await read(FileUrl, `/files/${(await stored()).id}/url`);
    expect(url).toMatch(/\/v1\/files\/[0-9a-f-]+\/download\?token=\S+$/);
    expect(await (await fetch(url)).text()).toBe('RIFF');
    const part = await fetch(url, { headers: { range: 'bytes=1-2' } });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 1-2/4', 'IF']);
    rest.server.advance(3_601_000);
    expect((await fetch(url)).status).toBe(404);
    rest.server.advance(-3_601_000);
  });

  it('DELETE /v1/files/{id} → 204, then 404', async () => {
    const { id } = await stored();
    expect((await call('DELETE', `/files/${id}`)).status).toBe(204);
    expect((await call('DELETE', `/files/${id}`)).status).toBe(404);
  });

  it('`client_reference_id` has at most 256 characters', async () => {
    expect((await upload({ client_reference_id: 'x'.repeat(256) })).status).toBe(201);
    expect((await upload({ client_reference_id: 'x'.repeat(257) })).status).toBe(400);
  });
});

describe('§3 transcriptions', () => {
  it('POST → 201 queued; GET by id, list, count', async () => {
    const gate = deferred();
    rest.transcribe = async () => (await gate.promise, []);
    const made = await create();
    expect(made.status).toBe('queued');
    expect(await read(Transcription, `/transcriptions/${made.id}`)).toMatchObject({ id: made.id });
    expect((await read(TranscriptionPage, '/transcriptions')).transcriptions.map(({ id }) => id)).toEqual([made.id]);
    expect(await read(Counts, '/transcriptions/count')).toEqual({ total: 1, public_api: 1, playground: 0 });
    gate.resolve();
    await reaches(made.id, 'completed');
  });

  it('DELETE → 204, its file stays, and deleting that next is 204 too; a queued one never runs', async () => {
    const made = await create();
    await reaches(made.id, 'completed');
    expect((await call('DELETE', `/transcriptions/${made.id}`)).status).toBe(204);
    expect((await call('DELETE', `/files/${made.file_id}`)).status).toBe(204);
    const gate = deferred();
    const before = rest.server.engine.transcriptions;
    rest.transcribe = async () => (await gate.promise, []);
    const running = await create();
    await reaches(running.id, 'processing');
    const queued = await create();
    expect((await call('DELETE', `/transcriptions/${queued.id}`)).status).toBe(204);
    gate.resolve();
    await reaches(running.id, 'completed');
    expect(
      await rest.server.services.db.selectFrom('jobs').select('id').where('subject', '=', queued.id).execute(),
    ).toEqual([]);
    expect(rest.server.engine.transcriptions - before).toBe(1);
  });

  it.each([
    ['model', { model: 'stt-async-preview' }, {}],
    ['language_hints', { language_hints: ['en', 'de'] }, {}],
    ['language_hints_strict', { language_hints_strict: true }, {}],
    ['enable_speaker_diarization', { enable_speaker_diarization: true }, {}],
    ['enable_language_identification', { enable_language_identification: true }, {}],
    ['translation, one way', { translation: { type: 'one_way', target_language: 'fr' } }, {}],
    ['translation, two ways', { translation: { type: 'two_way', language_a: 'en', language_b: 'de' } }, {}],
    [
      'context v2',
      {
        context: {
          general: [{ key: 'topic', value: 'ships' }],
          text: 'A talk.',
          terms: ['Parlance'],
          translation_terms: [{ source: 'ship', target: 'Schiff' }],
        },
      },
      {},
    ],
    ['context v1', { context: 'A talk about ships.' }, {}],
    ['client_reference_id', { client_reference_id: 'x'.repeat(256) }, {}],
    [
      'webhook_url, webhook_auth_header_name, webhook_auth_header_value',
      {
        webhook_url: 'https://example.com/hook?a=1',
        webhook_auth_header_name: 'Authorization',
        webhook_auth_header_value: 'secret',
      },
      { webhook_auth_header_value: '******************' },
    ],
    [
      'webhook_auth_header_name and webhook_auth_header_value, without a webhook_url',
      { webhook_auth_header_name: 'Authorization', webhook_auth_header_value: 'secret' },
      { webhook_url: null, webhook_auth_header_value: '******************' },
    ],
  ])('create payload: %s is taken and answered', async (_row, given, different) => {
    const made = await create(given);
    expect(made).toMatchObject({ ...given, ...different });
    expect(await read(Transcription, `/transcriptions/${made.id}`)).toMatchObject({ ...given, ...different });
    expect((await read(TranscriptionPage, '/transcriptions')).transcriptions[0]).toMatchObject({
      ...given,
      ...different,
    });
  });

  it('create payload: audio_url, named by its last part', async () => {
    const response = await call('POST', '/transcriptions', {
      model: MODEL,
      audio_url: `${rest.other.url}/talks/monday.mp3`,
    });
    expect(response.status).toBe(201);
    const made = v.parse(Transcription, await response.json());
    expect(made).toMatchObject({
      filename: 'monday.mp3',
      file_id: null,
      audio_url: `${rest.other.url}/talks/monday.mp3`,
    });
    await reaches(made.id, 'completed');
  });

  it.each([
    ['model', { model: 'x'.repeat(33) }],
    ['model', { model: undefined }],
    ['model', { model: null }],
    ['file_id', { file_id: 'no-uuid' }],
    ['file_id', { file_id: null }],
    ['audio_url', { audio_url: 'https://example.com/a.wav' }],
    ['audio_url', { file_id: null, audio_url: 'example.com/a.wav' }],
    ['language_hints', { language_hints: Array.from({ length: 101 }, (_, n) => `l${n}`) }],
    ['language_hints.0', { language_hints: ['x'.repeat(11)] }],
    ['language_hints', { language_hints: ['en', 'en'] }],
    ['language_hints', { language_hints: ['xx'] }],
    ['language_hints_strict', { language_hints_strict: 'yes' }],
    ['enable_speaker_diarization', { enable_speaker_diarization: 1 }],
    ['enable_language_identification', { enable_language_identification: 'true' }],
    ['translation.type', { translation: { type: 'three_way' } }],
    ['translation.target_language', { translation: { type: 'one_way' } }],
    ['translation.language_b', { translation: { type: 'two_way', language_a: 'en' } }],
    ['translation', { translation: { type: 'one_way', target_language: 'ja' } }],
    ['context', { context: 'x'.repeat(10_001) }],
    ['context', { context: { text: 'x'.repeat(10_001) } }],
    ['context', { context: [] }],
    ['webhook_url', { webhook_url: 'example.com' }],
    ['webhook_auth_header_value', { webhook_url: 'https://example.com', webhook_auth_header_name: 'X-Key' }],
    ['client_reference_id', { client_reference_id: 'x'.repeat(257) }],
  ])('create payload: a wrong %s is told by its place (%#)', async (field, given) => {
    const response = await post(given);
    expect(response.status).toBe(400);
    expect(await locations(response.clone())).toEqual([`body.payload.${field}`]);
    expect((await refusal(response))[1]).toBe('invalid_request');
  });

  it('Transcription: every key is there from the start', async () => {
    const response = await post();
    expect(await response.json()).toEqual({
      id: expect.stringMatching(UUID),
      status: 'queued',
      created_at: expect.stringMatching(ISO),
      model: MODEL,
      filename: 'talk.wav',
      file_id: expect.stringMatching(UUID),
      audio_url: null,
      enable_speaker_diarization: false,
      enable_language_identification: false,
      language_hints: null,
      language_hints_strict: null,
      context: null,
      translation: null,
      audio_duration_ms: null,
      error_type: null,
      error_message: null,
      webhook_url: null,
      webhook_auth_header_name: null,
      webhook_auth_header_value: null,
      webhook_status_code: null,
      client_reference_id: null,
      progress: null,
      cost_usd: null,
    });
  });

  it('Transcription: `audio_duration_ms` once it was transcribed; `webhook_status_code` once it was told; error fields only of a failed one', async () => {
    rest.answerHook = (response) => response.writeHead(202).end();
    const told = await create({ webhook_url: `${rest.other.url}/hook` });
    await eventually(async () =>
      expect(await read(Transcription, `/transcriptions/${told.id}`)).toMatchObject({
        status: 'completed',
        audio_duration_ms: 1000,
        webhook_status_code: 202,
        error_type: null,
        error_message: null,
      }),
    );
    rest.decoding = () => new EngineError('unsupported_format', 'This format cannot be read.');
    expect(await reaches((await create()).id, 'error')).toMatchObject({
      error_type: 'unsupported_format',
      error_message: 'This format cannot be read.',
      audio_duration_ms: null,
    });
  });

  it('`status` is one of four', async () => {
    expect(TRANSCRIPTION_STATUSES).toEqual(['queued', 'processing', 'completed', 'error']);
    const { id } = await create();
    const seen = new Set<string>();
    await eventually(async () => {
      const { status } = await read(Transcription, `/transcriptions/${id}`);
      seen.add(status);
      expect(status).toBe('completed');
    });
    for (const status of seen) expect(TRANSCRIPTION_STATUSES).toContain(status);
  });

  it('Transcript: tokens as they are, translations without times; the engine is asked for what the client asked', async () => {
    let asked: TranscribeOptions = {};
    const tokens: TranscriptToken[] = [
      {
        text: ' Hel',
        start_ms: 0,
        end_ms: 200,
        confidence: 0.9,
        speaker: '1',
        language: 'en',
        translation_status: 'original',
      },
      {
        text: 'lo.',
        start_ms: 200,
        end_ms: 400,
        confidence: 0.8,
        speaker: '1',
        language: 'en',
        translation_status: 'original',
      },
      {
        text: ' Hallo.',
        confidence: 0.7,
        speaker: '1',
        language: 'de',
        translation_status: 'translation',
        source_language: 'en',
      },
      {
        text: ' Mhm',
        start_ms: 500,
        end_ms: 600,
        confidence: 0.6,
        speaker: '2',
        language: 'fr',
        translation_status: 'none',
      },
    ];
    rest.transcribe = (options) => ((asked = options), Promise.resolve(tokens));
    const translation = { type: 'one_way', target_language: 'de' };
    const { id } = await create({
      enable_speaker_diarization: true,
      enable_language_identification: true,
      translation,
      language_hints: ['de', 'en'],
      language_hints_strict: true,
      context: 'A talk about ships.',
    });
    await reaches(id, 'completed');
    expect(asked).toEqual({
      diarization: true,
      languageIdentification: true,
      translation,
      languageHints: ['de', 'en'],
      languageHintsStrict: true,
      context: 'A talk about ships.',
      signal: expect.any(AbortSignal),
      onProgress: expect.any(Function),
    });
    const transcript = await (await call('GET', `/transcriptions/${id}/transcript`)).json();
    expect(transcript).toEqual({ id, text: ' Hello. Hallo. Mhm', tokens });
    expect(
      v
        .parse(Transcript, transcript)
        .tokens.map(({ text }) => text)
        .join(''),
    ).toBe(transcript.text);
  });
});

describe('§3 models', () => {
  it.each(['stt-async-v5', 'stt-async-v4', 'stt-async-v3', 'stt-async-preview'])(
    '%s: listed as an alias of the model for files, and transcribes under its own name',
    async (model) => {
      const { models } = await read(ModelList, '/models');
      expect(models.filter(({ id }) => id === model)).toMatchObject([
        { aliased_model_id: 'parlance-async-1', transcription_mode: 'async' },
      ]);
      const made = await create({ model });
      expect(made).toMatchObject({ status: 'queued', model });
      expect(await reaches(made.id, 'completed')).toMatchObject({ model, audio_duration_ms: 1000 });
    },
  );

  it.each(['stt-rt-v5', 'stt-rt-v4', 'stt-rt-v3', 'stt-rt-preview'])(
    '%s: listed as an alias of the live model, and not for files',
    async (model) => {
      const { models } = await read(ModelList, '/models');
      expect(models.filter(({ id }) => id === model)).toMatchObject([
        { aliased_model_id: 'parlance-rt-1', transcription_mode: 'real_time' },
      ]);
      expect(await refusal(await post({ model }))).toEqual([400, 'model_not_available', 'Invalid model specified.']);
    },
  );

  it('GET /v1/models: every key of every model; aliases name a model of the same kind; the names that clients use are there', async () => {
    const raw: { models: Record<string, unknown>[] } = await (await call('GET', '/models')).json();
    const { models } = v.parse(ModelList, raw);
    for (const model of raw.models) {
      expect(model).toMatchObject({
        id: expect.any(String),
        name: expect.any(String),
        context_version: 2,
        supports_language_hints_strict: expect.any(Boolean),
        supports_max_endpoint_delay: expect.any(Boolean),
        supports_endpoint_sensitivity: expect.any(Boolean),
        supports_endpoint_latency_adjustment: expect.any(Boolean),
        endpoint_latency_adjustment_max_level: expect.any(Number),
        languages: [
          { code: 'de', name: 'German' },
          { code: 'en', name: 'English' },
        ],
      });
      expect(['real_time', 'async']).toContain(model['transcription_mode']);
      expect(
        model['aliased_model_id'] === null ||
          models.some(
            ({ id, aliased_model_id, transcription_mode }) =>
              id === model['aliased_model_id'] &&
              aliased_model_id === null &&
              transcription_mode === model['transcription_mode'],
          ),
      ).toBe(true);
      expect([null, 'all_languages']).toContain(model['one_way_translation']);
      expect([null, 'all_languages']).toContain(model['two_way_translation']);
    }
    for (const [id, mode] of [
      ['stt-rt-v5', 'real_time'],
      ['stt-rt-v4', 'real_time'],
      ['stt-async-v5', 'async'],
      ['stt-async-v4', 'async'],
    ])
      expect(models.find((model) => model.id === id)?.transcription_mode).toBe(mode);
  });

  it('translations: what the engine does is listed, target by target and pair by pair', async () => {
    const { models } = await read(ModelList, '/models');
    for (const model of models) {
      expect(model.translation_targets).toEqual([
        { target_language: 'de', source_languages: ['en'], exclude_source_languages: [] },
        { target_language: 'en', source_languages: ['de'], exclude_source_languages: [] },
        { target_language: 'fr', source_languages: ['en'], exclude_source_languages: [] },
      ]);
      expect(model.two_way_translation_pairs).toEqual(['de:en']);
    }
  });
});

describe('§3 temporary keys', () => {
  it('POST /v1/auth/temporary-api-key → key and expiry; only characters of a WebSocket subprotocol', async () => {
    const response = await call('POST', '/auth/temporary-api-key', {
      usage_type: 'transcribe_websocket',
      expires_in_seconds: 3600,
      client_reference_id: 'r',
      single_use: true,
      max_session_duration_seconds: 18_000,
    });
    expect(response.status).toBe(201);
    const made = v.parse(TemporaryKey, await response.json());
    expect(made.api_key).toMatch(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
    expect(Math.abs(Date.parse(made.expires_at) - Date.now() - 3_600_000)).toBeLessThan(30_000);
  });

  it.each([
    ['usage_type', { usage_type: 'other' }],
    ['expires_in_seconds', { expires_in_seconds: 0 }],
    ['expires_in_seconds', { expires_in_seconds: 3601 }],
    ['expires_in_seconds', { expires_in_seconds: 1.5 }],
    ['max_session_duration_seconds', { max_session_duration_seconds: 0 }],
    ['max_session_duration_seconds', { max_session_duration_seconds: 18_001 }],
    ['client_reference_id', { client_reference_id: 'x'.repeat(257) }],
  ])('a wrong %s (%#)', async (field, given) => {
    const response = await call('POST', '/auth/temporary-api-key', {
      usage_type: 'transcribe_websocket',
      expires_in_seconds: 60,
      ...given,
    });
    expect(response.status).toBe(400);
    expect(await locations(response)).toEqual([`body.payload.${field}`]);
  });
});
