/** Translation as clients of the speech API get it: the real server, a scripted recognizer, a made-up Apertium. */
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LiveFailure } from '#contract/live.ts';
import { ModelList } from '#contract/models.ts';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import { findApertium } from '#server/engine/translation/translator.ts';
import { createFakeEngine, type FakeEngine } from '../../fake-engine.ts';
import type { TestServer, TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, connectLive, liveKey, refusalOf, type LiveClient } from '../../speech-api/harness.ts';
import { CONFIG } from '../../speech-api/live/live-client.ts';
import { fakeApertium, type FakeApertium } from './fake-apertium.ts';
import { create, startTranslating, transcribed } from './harness.ts';

const TO_SPANISH = { type: 'one_way', target_language: 'es' };
const HEARD: TranscriptToken[] = [
  { text: 'The', start_ms: 0, end_ms: 300, confidence: 0.9, language: 'en' },
  { text: ' MR', start_ms: 300, end_ms: 500, confidence: 0.9, language: 'en' },
  { text: 'I.', start_ms: 500, end_ms: 900, confidence: 0.9, language: 'en' },
];

let apertium: FakeApertium;
let heard: FakeEngine;
let server: TestServer;
let user: TestUser;
beforeAll(async () => {
  apertium = fakeApertium({ 'eng-spa': undefined, 'spa-eng': undefined });
  heard = createFakeEngine({ transcribe: () => Promise.resolve(HEARD) });
  const translator = findApertium({ home: apertium.home, path: apertium.path });
  if (!translator) throw new Error('no translator');
  server = await startTranslating(heard, translator);
  user = await server.createUser();
}, 180_000);
afterAll(async () => {
  await server.close();
  apertium.remove();
});

const begin = async (translation: unknown): Promise<LiveClient> => {
  const client = connectLive(server);
  await client.opened;
  client.socket.send(
    JSON.stringify({ ...CONFIG, api_key: await liveKey(server, user), model: 'stt-rt-v5', translation }),
  );
  return client;
};

it('the models list what can be translated, and no more', async () => {
  const { models } = v.parse(ModelList, await (await call(server, user, 'GET', '/models')).json());
  for (const model of models)
    expect(model).toMatchObject({
      one_way_translation: null,
      two_way_translation: null,
      translation_targets: [{ target_language: 'es', source_languages: ['en'] }],
      two_way_translation_pairs: [],
    });
});

it('a transcription with a translation has it behind every sentence, with the terms of the context', async () => {
  const { tokens, text } = await transcribed(server, user, {
    model: 'parlance-async-1',
    translation: TO_SPANISH,
    context: { translation_terms: [{ source: 'MRI', target: 'resonancia' }] },
  });
  expect(text).toBe('The MRI. THE resonancia.');
  expect(tokens).toEqual([
    ...HEARD.map((token) => ({ ...token, translation_status: 'original' })),
    ...[' THE', ' resonancia.'].map((word) => ({
      text: word,
      confidence: 0.9,
      language: 'es',
      translation_status: 'translation',
      source_language: 'en',
    })),
  ]);
});

it("other pairs are refused in the API's words, everywhere", async () => {
  for (const translation of [
    { type: 'one_way', target_language: 'de' },
    { type: 'two_way', language_a: 'en', language_b: 'es' },
  ]) {
    const answer = await create(server, user, { translation });
    expect(answer.status).toBe(400);
    expect(await refusalOf(answer)).toMatchObject({
      error_type: 'invalid_request',
      message: 'Invalid translation target language.',
      validation_errors: [{ location: 'body.payload.translation' }],
    });
    const client = await begin(translation);
    expect(await client.closed).toBe(1000);
    expect(v.parse(LiveFailure, client.frames[0])).toMatchObject({
      error_code: 400,
      error_message: 'Invalid translation target language.',
    });
  }
});

it('a live session with a translation gets it right behind what is final', async () => {
  const client = await begin(TO_SPANISH);
  const stream = await eventually(() => {
    expect(heard.streams).toHaveLength(1);
    return heard.streams[0]!;
  });
  stream.say([{ text: 'Hel', start_ms: 0, end_ms: 100, confidence: 0.5, is_final: false, language: 'en' }]);
  stream.say([
    { text: 'Hello.', start_ms: 0, end_ms: 100, confidence: 0.5, is_final: true, language: 'en' },
    { text: '<fin>', is_final: true },
  ]);
  client.socket.send('');
  await eventually(() => expect(stream.calls).toEqual(['end']));
  stream.say([], true);
  expect(await client.closed).toBe(1000);
  const said = { start_ms: 0, end_ms: 100, confidence: 0.5, language: 'en', translation_status: 'original' };
  expect(client.frames.map(({ tokens }) => tokens)).toEqual([
    [{ ...said, text: 'Hel', is_final: false }],
    [
      { ...said, text: 'Hello.', is_final: true },
      {
        text: ' HELLO.',
        confidence: 0.5,
        is_final: true,
        language: 'es',
        translation_status: 'translation',
        source_language: 'en',
      },
      { text: '<fin>', is_final: true },
    ],
    [],
  ]);
});
