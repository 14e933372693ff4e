/** The speech API on the real recognizer: what the console and other clients get to see. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { StoredFile } from '#contract/files.ts';
import { LiveResult, MARKERS } from '#contract/live.ts';
import { Transcript, Transcription } from '#contract/transcriptions.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { createAudioDecoder } from '#server/engine/decode/audio.ts';
import { createEmbeddedEngine } from '#server/engine/recognizer/embedded.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { audioFile } from '../../engine/decode/decode-fixtures.ts';
import { call, connectLive, liveKey, upload } from '../harness.ts';

const RATE = 16_000;
const HEADER_BYTES = 44;
const OPENING =
  'Here is the weather for the weekend. On Saturday morning, the sky will be cloudy, with light rain near the coast.';

let server: TestServer;
let user: TestUser;
let wav: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  wav = new Uint8Array(await readFile(join(projectRoot, 'server/samples/weather-report.wav')));
  const engine = createEmbeddedEngine({ workers: 1 });
  server = await startTestServer({
    prepare: (services) => startSpeechApi(services, { engine, decoder: createAudioDecoder() }),
  });
  user = await server.createUser();
  await engine.ready();
});
afterAll(() => server.close());

/** Words without case and punctuation: what a listener would agree on. */
const words = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .split(/\s+/)
    .filter(Boolean);

const transcribed = async (fileId: string): Promise<Transcription> => {
  const made = v.parse(
    Transcription,
    await (await call(server, user, 'POST', '/transcriptions', { model: 'parlance-async-1', file_id: fileId })).json(),
  );
  return vi.waitFor(
    async () => {
      const now = v.parse(Transcription, await (await call(server, user, 'GET', `/transcriptions/${made.id}`)).json());
      expect(['completed', 'error']).toContain(now.status);
      return now;
    },
    { timeout: 60_000, interval: 20 },
  );
};

it('an uploaded recording is transcribed, with times that advance', async () => {
  const file = await (await upload(server, user, wav, 'weather.wav')).json();
  const done = await transcribed(file.id);
  expect(done).toMatchObject({ status: 'completed', error_message: null });
  expect(done.audio_duration_ms).toBeCloseTo(((wav.length - HEADER_BYTES) / 2 / RATE) * 1000, -2);
  const { text, tokens } = v.parse(
    Transcript,
    await (await call(server, user, 'GET', `/transcriptions/${done.id}/transcript`)).json(),
  );
  expect(words(text).slice(0, 20)).toEqual(words(OPENING).slice(0, 20));
  expect(tokens.map((token) => token.text).join('')).toBe(text);
  const starts = tokens.map(({ start_ms }) => start_ms ?? -1);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
});

const sent = async (content: string | Uint8Array<ArrayBuffer>, name: string): Promise<Transcription> =>
  transcribed(v.parse(StoredFile, await (await upload(server, user, content, name)).json()).id);
const wordsOf = async ({ id }: Transcription): Promise<string[]> =>
  words(v.parse(Transcript, await (await call(server, user, 'GET', `/transcriptions/${id}/transcript`)).json()).text);
const audio = async (name: string): Promise<Uint8Array<ArrayBuffer>> => new Uint8Array(await readFile(audioFile(name)));

const SENTENCE = 'my brother bought a new car last summer';
it.each([
  ['short.flac', SENTENCE],
  ['short.mp3', SENTENCE],
  ['short.ogg', SENTENCE],
  ['short.opus', SENTENCE],
  ['formats/opus.webm', SENTENCE],
  // One second from the middle, and a telephone's codec.
  ['formats/pcm.aiff', 'bought a new'],
  ['formats/narrow.amr', 'my brother bought a new car'],
])('%s is understood', async (name, spoken) => {
  const done = await sent(await audio(name), name);
  expect(done).toMatchObject({ status: 'completed', error_type: null, error_message: null });
  expect((await wordsOf(done)).join(' ')).toContain(spoken);
});

describe('files that are not what they seem, or not whole', () => {
  it.each<[what: string, content: () => Promise<string | Uint8Array<ArrayBuffer>>, type: string, message: string]>([
    ['an empty file', async () => '', 'invalid_audio', 'The file is empty.'],
    [
      'a letter named .wav',
      async () => 'This is a letter, not a recording.',
      'invalid_audio',
      'The file is not audio: it looks like text.',
    ],
    [
      'a WAV cut inside its header',
      async () => (await audio('short.wav')).subarray(0, 30),
      'invalid_audio',
      'The WAV audio ends inside its header.',
    ],
    [
      'a WAV with damage in its header',
      async () => (await audio('short.wav')).fill(0, 22, 24),
      'invalid_audio',
      'The audio claims 0 channels; this server takes 1 to 32.',
    ],
    [
      'a FLAC with damage in all but its header',
      async () => (await audio('short.flac')).fill(0x5a, 42),
      'invalid_audio',
      'The file (FLAC) holds no audio, or only damaged audio.',
    ],
    [
      'an M4A cut before its index',
      async () => (await audio('formats/aac.m4a')).subarray(0, 600),
      'invalid_audio',
      'The MP4 file is cut short or damaged: its index is missing.',
    ],
    [
      'an M4A, without ffmpeg',
      () => audio('formats/aac.m4a'),
      'unsupported_format',
      'MP4 with AAC audio needs ffmpeg: install it on the server or set FFMPEG_PATH, or send WAV, MP3, FLAC, Ogg, WebM, AIFF or AMR.',
    ],
  ])('%s fails, and is told why', async (_what, content, type, message) => {
    vi.stubEnv('PATH', '');
    vi.stubEnv('FFMPEG_PATH', '');
    expect(await sent(await content(), 'talk.wav')).toMatchObject({
      status: 'error',
      error_type: type,
      error_message: message,
      audio_duration_ms: null,
    });
  });

  it.each([
    ['an MP3 named .wav', async () => (await audio('short.mp3')).subarray(0, 9000), expect.closeTo(1500, -2)],
    ['a WAV cut inside its audio', async () => (await audio('short.wav')).subarray(0, HEADER_BYTES + RATE * 2), 1000],
    [
      'an MP3 with damage from its middle on',
      async () => (await audio('short.mp3')).subarray(0, 12_000).fill(0x5a, 6000),
      expect.closeTo(1000, -2),
    ],
  ])('%s: what it holds is transcribed', async (_what, content, durationMs) => {
    const done = await sent(await content(), 'talk.wav');
    expect(done).toMatchObject({
      status: 'completed',
      error_type: null,
      error_message: null,
      audio_duration_ms: durationMs,
    });
    expect((await wordsOf(done)).slice(0, 2)).toEqual(['my', 'brother']);
  });
});

it('LIV-15: a live session hears the same words, each final token once', async () => {
  const client = connectLive(server);
  await client.opened;
  client.socket.send(
    JSON.stringify({
      api_key: await liveKey(server, user),
      model: 'stt-rt-v5',
      audio_format: 's16le',
      sample_rate: RATE,
      num_channels: 1,
      enable_endpoint_detection: true,
    }),
  );
  const pcm = wav.subarray(HEADER_BYTES, HEADER_BYTES + RATE * 2 * 10);
  for (let at = 0; at < pcm.length; at += 3840) client.socket.send(pcm.subarray(at, at + 3840));
  client.socket.send('');
  expect(await client.closed).toBe(1000);
  const results = client.frames.map((frame) => v.parse(LiveResult, frame));
  expect(results.at(-1)).toEqual({
    tokens: [],
    finished: true,
    cost_usd: '0.000333',
    request_id: expect.any(String),
    final_audio_proc_ms: 10_000,
    total_audio_proc_ms: 10_000,
  });
  const finals = results.flatMap(({ tokens }) => tokens.filter(({ is_final }) => is_final));
  const spoken = finals.filter(({ text }) => !MARKERS.has(text));
  expect(words(spoken.map(({ text }) => text).join('')).slice(0, 15)).toEqual(words(OPENING).slice(0, 15));
  const starts = spoken.map(({ start_ms }) => start_ms ?? -1);
  expect(starts.every((start, index) => index === 0 || start > (starts[index - 1] ?? 0))).toBe(true);
  expect(finals.some(({ text }) => text === '<end>')).toBe(true);
});
