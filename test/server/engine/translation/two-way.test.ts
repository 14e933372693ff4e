/** Translation both ways between two languages, as clients of the speech API get it; what is in a third language is only transcribed. */
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LiveResult, type LiveToken } from '#contract/live.ts';
import { ModelList } from '#contract/models.ts';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import { createFakeEngine, type FakeEngine } from '../../fake-engine.ts';
import type { TestServer, TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { call, connectLive, liveKey } from '../../speech-api/harness.ts';
import { CONFIG } from '../../speech-api/live/live-client.ts';
import { startTranslating, transcribed } from './harness.ts';

const BOTH_WAYS = { type: 'two_way', language_a: 'en', language_b: 'es' };
const HEARD: TranscriptToken[] = [
  { text: 'Good day.', start_ms: 0, end_ms: 400, confidence: 0.9, language: 'en' },
  { text: ' Buenos días.', start_ms: 400, end_ms: 800, confidence: 0.8, language: 'es' },
  { text: ' Bonjour.', start_ms: 800, end_ms: 1200, confidence: 0.7, language: 'fr' },
];
const [GOOD_DAY, BUENOS_DIAS, BONJOUR] = HEARD;
const TOLD = [
  { ...GOOD_DAY, translation_status: 'original' },
  {
    text: ' en>es: Good day.',
    confidence: 0.9,
    language: 'es',
    translation_status: 'translation',
    source_language: 'en',
  },
  { ...BUENOS_DIAS, translation_status: 'original' },
  {
    text: ' es>en: Buenos días.',
    confidence: 0.8,
    language: 'en',
    translation_status: 'translation',
    source_language: 'es',
  },
  { ...BONJOUR, translation_status: 'none' },
];

let heard: FakeEngine;
let server: TestServer;
let user: TestUser;
beforeAll(async () => {
  heard = createFakeEngine({ info: { languages: ['en', 'es', 'fr'] }, transcribe: () => Promise.resolve(HEARD) });
  const translator = {
    pairs: () => [
      { from: 'en', to: 'es' },
      { from: 'es', to: 'en' },
      { from: 'fr', to: 'en' },
    ],
    translate: (text: string, { from, to }: { from: string; to: string }) => Promise.resolve(`${from}>${to}: ${text}`),
    close: () => Promise.resolve(),
  };
  server = await startTranslating(heard, translator);
  user = await server.createUser();
});
afterAll(() => server.close());

/** Neighbours of one kind and language as one token: into how many a translation is cut does not matter. */
const joined = (tokens: readonly TranscriptToken[]): TranscriptToken[] =>
  tokens.reduce<TranscriptToken[]>((found, token) => {
    const last = found.at(-1);
    if (!last || last.translation_status !== token.translation_status || last.language !== token.language)
      return [...found, token];
    return [...found.slice(0, -1), { ...last, text: last.text + token.text }];
  }, []);

it('the models offer the pair', async () => {
  const { models } = v.parse(ModelList, await (await call(server, user, 'GET', '/models')).json());
  for (const model of models) expect(model.two_way_translation_pairs).toEqual(['en:es']);
});

it('a live session goes both ways', async () => {
  const client = connectLive(server);
  await client.opened;
  client.socket.send(
    JSON.stringify({ ...CONFIG, api_key: await liveKey(server, user), model: 'stt-rt-v5', translation: BOTH_WAYS }),
  );
  const stream = await eventually(() => {
    expect(heard.streams).toHaveLength(1);
    return heard.streams[0]!;
  });
  expect(stream.options).toMatchObject({ languageIdentification: true });
  const final = HEARD.map((token): LiveToken => ({ ...token, is_final: true }));
  for (const token of final) stream.say([token]);
  stream.say([{ text: '<fin>', is_final: true }]);
  client.socket.send('');
  await eventually(() => expect(stream.calls).toEqual(['end']));
  stream.say([], true);
  expect(await client.closed).toBe(1000);
  const tokens = client.frames.flatMap((frame) => v.parse(LiveResult, frame).tokens);
  expect(joined(tokens)).toEqual([
    ...TOLD.map((token) => ({ ...token, is_final: true })),
    { text: '<fin>', is_final: true },
  ]);
});

it('a transcription goes both ways', async () => {
  const { tokens } = await transcribed(server, user, { translation: BOTH_WAYS });
  expect(joined(tokens)).toEqual(TOLD);
});
