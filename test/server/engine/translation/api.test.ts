/** Translation as clients of the speech API get it: the real server, a scripted recognizer, a made-up Apertium. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import { translatingEngine } from '#server/engine/translation/engine.ts';
import { findApertium } from '#server/engine/translation/translator.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { createFakeDecoder, createFakeEngine, type FakeEngine } from '../../fake-engine.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { consoleClient } from '../../speech-api/client.ts';
import { connectLive, liveKey } from '../../speech-api/harness.ts';
import { CONFIG } from '../../speech-api/live/live-client.ts';
import { fakeApertium, type FakeApertium } from './fake-apertium.ts';

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
  const engine = translatingEngine(heard, translator);
  server = await startTestServer({
    prepare: (services) =>
      startSpeechApi(services, { engine, decoder: createFakeDecoder() }, { jobs: { pollMs: 200, backoffMs: () => 0 } }),
  });
  user = await server.createUser();
}, 180_000);
afterAll(async () => {
  await server.close();
  apertium.remove();
});

it('a transcription with a translation has it behind every sentence, with the terms of the context', async () => {
  const { create, reaches, transcript } = consoleClient(() => ({ server, user }));
  const { id } = await create({
    model: 'parlance-async-1',
    translation: TO_SPANISH,
    context: { translation_terms: [{ source: 'MRI', target: 'resonancia' }] },
  });
  await reaches(id, 'completed');
  const { tokens, text } = await transcript(id);
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

it('a live session with a translation gets it right behind what is final', async () => {
  const client = connectLive(server);
  await client.opened;
  const start = { ...CONFIG, api_key: await liveKey(server, user), model: 'stt-rt-v5', translation: TO_SPANISH };
  client.socket.send(JSON.stringify(start));
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
