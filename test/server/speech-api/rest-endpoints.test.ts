/** The endpoints of the public speech API (its section 3), row by row, as a program with a project's key meets them. */
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { Counts } from '#contract/files.ts';
import { ModelList } from '#contract/models.ts';
import { TemporaryKey } from '#contract/temporary-keys.ts';
import { TranscriptionPage, type TranscriptToken } from '#contract/transcriptions.ts';
import type { TranscribeOptions } from '#server/engine/port.ts';
import { faultsOf, ISO, MODEL, refusal, UUID } from './client.ts';
import { deferred } from './live/live-harness.ts';
import { restFixture } from './rest-fixture.ts';

const { rest, call, create, get, mint, post, reaches, read, transcript } = restFixture();

describe('§3 transcriptions', () => {
  it('POST → 201 queued, with every key from the start; GET by id, list, count; one that is deleted in the queue never runs', async () => {
    const gate = deferred();
    rest.transcribe = async () => (await gate.promise, []);
    const before = rest.server.engine.transcriptions;
    const running = await create();
    await reaches(running.id, 'processing');
    const response = await post();
    expect(response.status).toBe(201);
    const queued = await response.json();
    expect(queued).toEqual({
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
      audio_notes: null,
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
    expect(await get(queued.id)).toEqual(queued);
    const { transcriptions } = await read(TranscriptionPage, '/transcriptions');
    expect(transcriptions.map(({ id }) => id)).toEqual([queued.id, running.id]);
    expect(await read(Counts, '/transcriptions/count')).toEqual({ total: 2, public_api: 2, playground: 0 });
    expect((await call('DELETE', `/transcriptions/${queued.id}`)).status).toBe(204);
    gate.resolve();
    await reaches(running.id, 'completed');
    const jobs = rest.server.services.db.selectFrom('jobs').select('id').where('subject', '=', queued.id);
    expect(await jobs.execute()).toEqual([]);
    expect(rest.server.engine.transcriptions - before).toBe(1);
  });

  const header = { webhook_auth_header_name: 'Authorization', webhook_auth_header_value: 'secret' };
  const masked = { webhook_auth_header_value: '******************' };
  it.each([
    [
      'everything there is',
      {
        model: 'stt-async-preview',
        language_hints: ['en', 'de'],
        language_hints_strict: true,
        enable_speaker_diarization: true,
        enable_language_identification: true,
        translation: { type: 'one_way', target_language: 'fr' },
        context: {
          general: [{ key: 'topic', value: 'ships' }],
          text: 'A talk.',
          terms: ['Parlance'],
          translation_terms: [{ source: 'ship', target: 'Schiff' }],
        },
        client_reference_id: 'x'.repeat(256),
        webhook_url: 'https://example.com/hook?a=1',
        ...header,
      },
      masked,
    ],
    [
      'two-way translation and a context of version 1',
      { translation: { type: 'two_way', language_a: 'en', language_b: 'de' }, context: 'A talk about ships.' },
      {},
    ],
    ["a webhook's header without an address", header, { webhook_url: null, ...masked }],
  ])('a payload with %s is taken and answered', async (_row, given, different) => {
    const answered = { ...given, ...different };
    const made = await create(given);
    expect(made).toMatchObject(answered);
    expect(await get(made.id)).toMatchObject(answered);
    expect((await read(TranscriptionPage, '/transcriptions')).transcriptions[0]).toMatchObject(answered);
  });

  it.each<[field: string, given: object, message?: string]>([
    ['model', { model: 'x'.repeat(33) }],
    ['model', { model: undefined }, 'Field required'],
    ['model', { model: null }],
    ['file_id', { file_id: 'no-uuid' }],
    ['file_id', { file_id: null }, 'Field required'],
    ['audio_url', { audio_url: 'https://example.com/a.wav' }, 'Specify either file_id or audio_url, not both.'],
    ['audio_url', { file_id: null, audio_url: 'example.com/a.wav' }, 'Must be an http or https address.'],
    ['language_hints', { language_hints: Array.from({ length: 101 }, (_, n) => `l${n}`) }],
    ['language_hints.0', { language_hints: ['x'.repeat(11)] }],
    ['language_hints', { language_hints: ['en', 'en'] }, 'Language hints must be unique.'],
    ['language_hints', { language_hints: ['xx'] }, 'Invalid language hint.'],
    ['language_hints_strict', { language_hints_strict: 'yes' }],
    ['enable_speaker_diarization', { enable_speaker_diarization: 1 }],
    ['enable_language_identification', { enable_language_identification: 'true' }],
    [
      'enable_audio_event_detection',
      { enable_audio_event_detection: true },
      'Model does not support audio event detection.',
    ],
    ['translation.type', { translation: { type: 'three_way' } }],
    ['translation.target_language', { translation: { type: 'one_way' } }],
    ['translation.language_b', { translation: { type: 'two_way', language_a: 'en' } }],
    ['translation', { translation: { type: 'one_way', target_language: 'ja' } }],
    ['context', { context: 'x'.repeat(10_001) }, 'Context is too long (max length 10000).'],
    ['context', { context: { text: 'x'.repeat(10_001) } }, 'Context is too long (max length 10000).'],
    ['context', { context: [] }],
    ['client_reference_id', { client_reference_id: 'x'.repeat(257) }],
  ])('a payload with a wrong %s is refused, and told by its place (%#)', async (field, given, message = '') => {
    const response = await post(given);
    expect(await faultsOf(response.clone())).toEqual([expect.stringContaining(`body.payload.${field}: ${message}`)]);
    expect((await refusal(response)).slice(0, 2)).toEqual([400, 'invalid_request']);
  });

  it('Transcript: tokens as they are, translations without times; the engine is asked for what the client asked', async () => {
    let asked: TranscribeOptions = {};
    const original = { speaker: '1', language: 'en', translation_status: 'original' } as const;
    const translated = { language: 'de', translation_status: 'translation', source_language: 'en' } as const;
    const tokens: TranscriptToken[] = [
      { text: ' Hel', start_ms: 0, end_ms: 200, confidence: 0.9, ...original },
      { text: 'lo.', start_ms: 200, end_ms: 400, confidence: 0.8, ...original },
      { text: ' Hallo.', confidence: 0.7, speaker: '1', ...translated },
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
      onLength: expect.any(Function),
      onProgress: expect.any(Function),
    });
    expect(await transcript(id)).toEqual({ id, text: ' Hello. Hallo. Mhm', tokens });
    expect(await (await call('GET', `/transcriptions/${id}/transcript`)).json()).toEqual(await transcript(id));
  });
});

describe('§3 models', () => {
  it('GET /v1/models: every key of every model, and what the engine translates, target by target and pair by pair', async () => {
    const { models } = await (await call('GET', '/models')).json();
    for (const model of models)
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
        one_way_translation: null,
        two_way_translation: null,
        translation_targets: [
          { target_language: 'de', source_languages: ['en'], exclude_source_languages: [] },
          { target_language: 'en', source_languages: ['de'], exclude_source_languages: [] },
          { target_language: 'fr', source_languages: ['en'], exclude_source_languages: [] },
        ],
        two_way_translation_pairs: ['de:en'],
      });
  });

  it('follow the engine: another service may answer for the first time after the server has started', async () => {
    const { engine } = rest.server;
    const { info } = engine;
    engine.info = () => ({ ...info(), languages: ['fr'] });
    const { models } = await read(ModelList, '/models');
    engine.info = info;
    expect(models[0]?.languages).toEqual([{ code: 'fr', name: 'French' }]);
  });

  it("two are real; clients' other names are aliases of the same kind, keep their name, and live ones take no files", async () => {
    const { models } = await read(ModelList, '/models');
    const versions = ['v5', 'v4', 'v3', 'preview'];
    const [forFiles, forStreams] = [
      versions.map((version) => `stt-async-${version}`),
      versions.map((version) => `stt-rt-${version}`),
    ];
    const listed = models.map((model) => [model.id, model.transcription_mode, model.aliased_model_id]);
    expect(listed).toHaveLength(10);
    expect(listed).toEqual(
      expect.arrayContaining([
        ['parlance-rt-1', 'real_time', null],
        ['parlance-async-1', 'async', null],
        ...forStreams.map((id) => [id, 'real_time', 'parlance-rt-1']),
        ...forFiles.map((id) => [id, 'async', 'parlance-async-1']),
      ]),
    );
    for (const model of forFiles) {
      const { id } = await create({ model });
      expect(await reaches(id, 'completed')).toMatchObject({ model, audio_duration_ms: 1000 });
    }
    for (const model of ['parlance-rt-1', 'stt-async-v99', ...forStreams]) {
      const response = await post({ model });
      expect(await faultsOf(response.clone())).toEqual(['body.payload.model: Invalid model specified.']);
      expect(await refusal(response)).toEqual([400, 'model_not_available', 'Invalid model specified.']);
    }
  });
});

describe('§3 temporary keys', () => {
  const least = { expires_in_seconds: 1, max_session_duration_seconds: 1 };
  const most = {
    expires_in_seconds: 3600,
    max_session_duration_seconds: 18_000,
    client_reference_id: 'x'.repeat(256),
    single_use: true,
  };

  it('POST /v1/auth/temporary-api-key → key and expiry; only characters of a WebSocket subprotocol', async () => {
    expect((await mint(least)).status).toBe(201);
    const response = await mint(most);
    expect(response.status).toBe(201);
    const made = v.parse(TemporaryKey, await response.json());
    expect(made.api_key).toMatch(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/);
    expect(Math.abs(Date.parse(made.expires_at) - Date.now() - 3_600_000)).toBeLessThan(30_000);
  });

  it.each<[field: string, given: object, message?: string]>([
    ['usage_type', { usage_type: undefined }],
    ['usage_type', { usage_type: 'other' }, 'The usage type must be transcribe_websocket.'],
    [
      'usage_type',
      { usage_type: 'tts_rt' },
      'Speech generation is not available: keys are for transcribe_websocket only.',
    ],
    ['expires_in_seconds', { expires_in_seconds: undefined }, 'Field required'],
    ['expires_in_seconds', { expires_in_seconds: 0 }],
    ['expires_in_seconds', { expires_in_seconds: 3601 }],
    ['expires_in_seconds', { expires_in_seconds: 1.5 }],
    ['max_session_duration_seconds', { max_session_duration_seconds: 0 }],
    ['max_session_duration_seconds', { max_session_duration_seconds: 18_001 }],
    ['client_reference_id', { client_reference_id: 'x'.repeat(257) }],
  ])('a wrong %s is refused, and told by its place (%#)', async (field, given, message = '') => {
    const response = await mint({ ...most, ...given });
    expect(await faultsOf(response.clone())).toEqual([expect.stringContaining(`body.payload.${field}: ${message}`)]);
    expect((await refusal(response)).slice(0, 2)).toEqual([400, 'invalid_request']);
  });
});
