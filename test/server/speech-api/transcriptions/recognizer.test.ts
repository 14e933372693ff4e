/** What the console and other clients get to see of the real recognizer. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { beforeAll, expect, it } from 'vitest';
import { LiveResult, MARKERS } from '#contract/live.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { liveKey } from '../harness.ts';
import { begin, finish } from '../live/live-client.ts';
import { audio, recognizerFixture, SENTENCE, words } from './recognizer-fixture.ts';

const RATE = 16_000;
const HEADER_BYTES = 44;
const OPENING = words('Here is the weather for the weekend. On Saturday morning, the sky will be cloudy, with');

const { who, sent, transcript, wordsOf } = recognizerFixture();
/** Ten seconds of a longer recording, which its header still promises. */
let wav: Uint8Array<ArrayBuffer>;
beforeAll(async () => {
  const file = await readFile(join(projectRoot, 'server/samples/weather-report.wav'));
  wav = new Uint8Array(file).subarray(0, HEADER_BYTES + RATE * 2 * 10);
});

it('of an uploaded recording that was cut short what it holds is transcribed, with times that advance', async () => {
  const done = await sent(wav, 'weather.wav');
  expect(done).toMatchObject({ status: 'completed', error_message: null, audio_duration_ms: 10_000 });
  const { text, tokens } = await transcript(done.id);
  expect(words(text).slice(0, OPENING.length)).toEqual(OPENING);
  expect(tokens.map((token) => token.text).join('')).toBe(text);
  const starts = tokens.map(({ start_ms }) => start_ms ?? -1);
  expect(starts).toEqual(starts.toSorted((a, b) => a - b));
});

it.each(['short.mp3', 'short.opus'])('%s is understood, under a wrong name as well', async (name) => {
  const done = await sent(await audio(name), 'talk.wav');
  expect(done).toMatchObject({ status: 'completed', error_type: null, error_message: null });
  expect(await wordsOf(done)).toContain(SENTENCE);
});

it('a letter named .wav fails, and is told why', async () => {
  expect(await sent('This is a letter, not a recording.', 'talk.wav')).toMatchObject({
    status: 'error',
    error_type: 'invalid_audio',
    error_message: 'The file is not audio: it looks like text.',
    audio_duration_ms: null,
  });
});

it('LIV-15: a live session hears the same words, each final token once', async () => {
  const { server, user } = who();
  const client = await begin(server, { api_key: await liveKey(server, user), enable_endpoint_detection: true });
  const pcm = wav.subarray(HEADER_BYTES);
  for (let at = 0; at < pcm.length; at += 3840) client.socket.send(pcm.subarray(at, at + 3840));
  await finish(client);
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
  expect(words(spoken.map(({ text }) => text).join('')).slice(0, OPENING.length)).toEqual(OPENING);
  const starts = spoken.map(({ start_ms }) => start_ms ?? -1);
  expect(starts.every((start, index) => index === 0 || start > (starts[index - 1] ?? 0))).toBe(true);
  expect(finals.some(({ text }) => text === '<end>')).toBe(true);
});
