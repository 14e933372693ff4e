/** The speech API on the real recognizer: what the console and other clients get to see. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { LiveResult, MARKERS } from '#contract/live.ts';
import { Transcript, Transcription } from '#contract/transcriptions.ts';
import { projectRoot } from '#server/paths.ts';
import { createAudioDecoder } from '#server/speech/decode-audio.ts';
import { createEmbeddedEngine } from '#server/speech/embedded.ts';
import { startSpeechApi } from '#server/v1/start.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { call, connectLive, liveKey, upload } from './harness.ts';

const RATE = 16_000;
const HEADER_BYTES = 44;
const OPENING = 'Here is the weather for the weekend. On Saturday morning, the sky will be cloudy, with light rain near the coast.';

let server: TestServer;
let user: TestUser;
let wav: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  wav = new Uint8Array(await readFile(join(projectRoot, 'server/samples/weather-report.wav')));
  const engine = createEmbeddedEngine({ workers: 1 });
  server = await startTestServer({
    async prepare(services) {
      await startSpeechApi(services, { engine, decoder: createAudioDecoder() });
    },
  });
  user = await server.createUser();
  await engine.ready();
});
afterAll(() => server.close());

/** Words without case and punctuation: what a listener would agree on. */
const words = (text: string): string[] => text.toLowerCase().replace(/[^a-z ]/g, '').split(/\s+/).filter(Boolean);

const transcribed = async (fileId: string): Promise<Transcription> => {
  const made = v.parse(Transcription, await (await call(server, user, 'POST', '/transcriptions', { model: 'parlance-async-1', file_id: fileId })).json());
  return vi.waitFor(async () => {
    const now = v.parse(Transcription, await (await call(server, user, 'GET', `/transcriptions/${made.id}`)).json());
    expect(['completed', 'error']).toContain(now.status);
    return now;
  }, { timeout: 60_000, interval: 200 });
};

it('an uploaded recording is transcribed, with times that advance', async () => {
  const file = await (await upload(server, user, wav, 'weather.wav')).json();
  const done = await transcribed(file.id);
  expect(done).toMatchObject({ status: 'completed', error_message: null });
  expect(done.audio_duration_ms).toBeCloseTo(((wav.length - HEADER_BYTES) / 2 / RATE) * 1000, -2);
  const { text, tokens } = v.parse(Transcript, await (await call(server, user, 'GET', `/transcriptions/${done.id}/transcript`)).json());
  expect(words(text).slice(0, 20)).toEqual(words(OPENING).slice(0, 20));
  expect(tokens.map((token) => token.text).join('')).toBe(text);
  const starts = tokens.map(({ start_ms }) => start_ms ?? -1);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
});

it.each(['short.flac', 'short.mp3', 'short.ogg', 'short.opus'])('%s is understood', async (name) => {
  const file = await (await upload(server, user, new Uint8Array(await readFile(join(projectRoot, 'test/audio', name))), name)).json();
  const done = await transcribed(file.id);
  expect(done).toMatchObject({ status: 'completed', error_message: null });
  const { text } = v.parse(Transcript, await (await call(server, user, 'GET', `/transcriptions/${done.id}/transcript`)).json());
  expect(words(text).slice(0, 8)).toEqual(['my', 'brother', 'bought', 'a', 'new', 'car', 'last', 'summer']);
});

it('what is no recording fails with a reason', async () => {
  const file = await (await upload(server, user, 'This is a letter, not a recording.'.repeat(50), 'letter.wav')).json();
  const failed = await transcribed(file.id);
  expect(failed.status).toBe('error');
  expect(['invalid_audio', 'unsupported_format']).toContain(failed.error_type);
  expect(failed.error_message).toMatch(/\w{3,}.*\.$/);
});

it('LIV-15: a live session hears the same words, each final token once', async () => {
  const client = connectLive(server);
  await client.opened;
  client.socket.send(JSON.stringify({ api_key: await liveKey(server, user), model: 'stt-rt-v5', audio_format: 's16le', sample_rate: RATE, num_channels: 1, enable_endpoint_detection: true }));
  const pcm = wav.subarray(HEADER_BYTES, HEADER_BYTES + RATE * 2 * 10);
  for (let at = 0; at < pcm.length; at += 3840) client.socket.send(pcm.subarray(at, at + 3840));
  client.socket.send('');
  expect(await client.closed).toBe(1000);
  const results = client.frames.map((frame) => v.parse(LiveResult, frame));
  expect(results.at(-1)).toEqual({ tokens: [], finished: true, final_audio_proc_ms: 10_000, total_audio_proc_ms: 10_000 });
  const finals = results.flatMap(({ tokens }) => tokens.filter(({ is_final }) => is_final));
  const spoken = finals.filter(({ text }) => !MARKERS.has(text));
  expect(words(spoken.map(({ text }) => text).join('')).slice(0, 15)).toEqual(words(OPENING).slice(0, 15));
  const starts = spoken.map(({ start_ms }) => start_ms ?? -1);
  expect(starts.every((start, index) => index === 0 || start > (starts[index - 1] ?? 0))).toBe(true);
  expect(finals.some(({ text }) => text === '<end>')).toBe(true);
});
