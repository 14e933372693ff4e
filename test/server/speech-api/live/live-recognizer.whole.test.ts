/** The live socket on the real recognizer: the same sentence in every format, and what the protocol promises about its tokens. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { LiveResult, MARKERS } from '#contract/live.ts';
import { projectRoot } from '#server/platform/paths.ts';
import { createAudioDecoder } from '#server/engine/decode/audio.ts';
import { findFfmpeg } from '#server/engine/decode/ffmpeg.ts';
import { createEmbeddedEngine } from '#server/engine/recognizer/embedded.ts';
import { startSpeechApi } from '#server/speech-api/start.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { liveKey, type LiveClient } from '../harness.ts';
import { begin as beginAt, CONFIG, finish } from './live-client.ts';

const HEADER_BYTES = 44;
const SENTENCE = ['my', 'brother', 'bought', 'a', 'new', 'car', 'last', 'summer'];

let server: TestServer;
let user: TestUser;
let samples: Int16Array;
beforeAll(async () => {
  const engine = createEmbeddedEngine({ workers: 1 });
  server = await startTestServer({
    prepare: (services) =>
      startSpeechApi(
        services,
        { engine, decoder: createAudioDecoder() },
        { limitDefaults: { requests_per_minute: 1000 } },
      ),
  });
  user = await server.createUser();
  const wav = await audio('short.wav');
  samples = new Int16Array(Uint8Array.from(wav.subarray(HEADER_BYTES)).buffer);
  await engine.ready();
});
afterAll(() => server.close());

const audio = (name: string): Promise<Buffer> => readFile(join(projectRoot, 'test/audio', name));
const words = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    .split(/\s+/)
    .filter(Boolean);
const begin = async (config: object): Promise<LiveClient> =>
  beginAt(server, { api_key: await liveKey(server, user), ...config });
const send = (client: LiveClient, bytes: Uint8Array, pieceBytes: number): void => {
  for (let at = 0; at < bytes.length; at += pieceBytes) client.socket.send(bytes.subarray(at, at + pieceBytes));
};
/** Everything said, once the session is over; on the way it holds the results against the protocol. */
const transcript = async (client: LiveClient): Promise<LiveResult[]> => {
  await finish(client);
  const results = client.frames.map((frame) => v.parse(LiveResult, frame));
  let before = { final: 0, total: 0 };
  for (const { tokens, final_audio_proc_ms: final = -1, total_audio_proc_ms: total = -1 } of results) {
    const firstOpen = tokens.findIndex(({ is_final }) => !is_final);
    expect(tokens.slice(firstOpen < 0 ? tokens.length : firstOpen).every(({ is_final }) => !is_final)).toBe(true);
    expect(final).toBeGreaterThanOrEqual(before.final);
    expect(total).toBeGreaterThanOrEqual(Math.max(before.total, final));
    before = { final, total };
  }
  const starts = spoken(results).map(({ start_ms }) => start_ms ?? -1);
  expect(starts.every((start, n) => n === 0 || start > (starts[n - 1] ?? 0))).toBe(true);
  return results;
};
const finals = (results: readonly LiveResult[]): LiveResult['tokens'] =>
  results.flatMap(({ tokens }) => tokens.filter(({ is_final }) => is_final));
const spoken = (results: readonly LiveResult[]): LiveResult['tokens'] =>
  finals(results).filter(({ text }) => !MARKERS.has(text));
const wordsOf = (results: readonly LiveResult[]): string[] =>
  words(
    spoken(results)
      .map(({ text }) => text)
      .join(''),
  );
/** The words of the sentence, or what was heard instead. */
const textOf = (results: readonly LiveResult[]): string[] => wordsOf(results).slice(0, SENTENCE.length);

// What becomes of each format is seen in decode-stream.test.ts, to the sample.
it.each([
  ['auto', 'short.mp3'],
  ['webm', 'formats/opus.webm'],
])('%s: %s in small pieces is understood', async (audio_format, name) => {
  const client = await begin({ audio_format, sample_rate: null, num_channels: null });
  send(client, await audio(name), 777);
  const results = await transcript(client);
  expect(textOf(results)).toEqual(SENTENCE);
  // The container's length, give or take what its codec adds at its ends.
  expect(
    Math.abs((results.at(-1)?.total_audio_proc_ms ?? 0) - (samples.length / CONFIG.sample_rate) * 1000),
  ).toBeLessThan(150);
});

it.each([
  ['aac', 'formats/aac.aac', 'AAC needs ffmpeg: install it'],
  ['asf', 'formats/wma.wma', 'Windows Media (wma, asf) needs ffmpeg: install it'],
])('%s: heard whole where the machine can decode it, named where it cannot', async (audio_format, name, missing) => {
  const client = await begin({ audio_format });
  send(client, await audio(name), 4000);
  client.socket.send('');
  expect(await client.closed).toBe(1000);
  const { finished, error_message: refused, total_audio_proc_ms: heard } = client.frames.at(-1) ?? {};
  const isWhole = finished === true && Math.abs(Number(heard) - 1000) < 150;
  expect(isWhole ? 'whole' : String(refused)).toMatch((await findFfmpeg()) === undefined ? missing : /^whole$/);
});

it('<end> follows each utterance, once and after final tokens only, and is not told unless asked for', async () => {
  const pcm = (await audio('two-sentences.wav')).subarray(HEADER_BYTES);
  const [asked, unasked] = [await begin({ enable_endpoint_detection: true }), await begin({})];
  send(asked, pcm, 3840);
  // The first sentence, the pause and some words more.
  send(unasked, pcm.subarray(0, 6.5 * 2 * CONFIG.sample_rate), 3840);
  const [results = [], others = []] = await Promise.all([asked, unasked].map(transcript));
  const utterances = finals(results)
    .map(({ text }) => text)
    .join('')
    .split('<end>')
    .map(words);
  expect(utterances.map((said) => [said[0], said.at(-1)])).toEqual([
    ['she', 'lunch'],
    ['the', 'rain'],
    [undefined, undefined],
  ]);
  for (const { tokens } of results.filter(({ tokens }) => tokens.some(({ text }) => text === '<end>')))
    expect(tokens.every(({ is_final }) => is_final)).toBe(true);
  expect(others.flatMap(({ tokens }) => tokens).map(({ text }) => text)).not.toContain('<end>');
  expect(textOf(others)).toEqual(textOf(results));
});

it('raw s24be, two channels, cut at odd places, is understood', async () => {
  const client = await begin({ audio_format: 's24be', num_channels: 2 });
  const bytes = Buffer.alloc(samples.length * 6);
  for (const [n, sample] of samples.entries())
    for (const channel of [0, 1]) bytes.writeIntBE(sample * 256, n * 6 + channel * 3, 3);
  send(client, bytes, 30_001);
  expect(textOf(await transcript(client))).toEqual(SENTENCE);
});

it('finalize makes everything final, also what a container’s decoder still holds, and is answered when there is nothing', async () => {
  const client = await begin({ audio_format: 'auto' });
  client.socket.send('{"type":"finalize"}');
  await vi.waitFor(() => expect(client.frames).toHaveLength(1), { timeout: 15_000 });
  expect(client.frames[0]).toMatchObject({ tokens: [{ text: '<fin>', is_final: true }] });
  send(client, await audio('short.wav'), 3840);
  client.socket.send('{"type":"finalize","trailing_silence_ms":200}');
  const marked = (): number =>
    client.frames.filter((frame) => v.parse(LiveResult, frame).tokens.some(({ text }) => text === '<fin>')).length;
  await vi.waitFor(() => expect(marked()).toBe(2), { timeout: 15_000 });
  expect(textOf(client.frames.map((frame) => v.parse(LiveResult, frame)))).toEqual(SENTENCE);
  const results = await transcript(client);
  expect(spoken(results).length).toBe(spoken(results.slice(0, -1)).length);
});

it.each([
  ['while it is spoken', 1.6],
  ['in the silence after it', 5.4],
])('CON-17 Finalize pressed five times %s changes nothing in the sentence', async (_, seconds) => {
  const client = await begin({});
  const bytes = new Uint8Array(Buffer.concat([Buffer.from(samples.buffer), Buffer.alloc(2 * 2 * CONFIG.sample_rate)]));
  const at = Math.round(seconds * CONFIG.sample_rate) * 2;
  const step = 0.2 * CONFIG.sample_rate * 2;
  send(client, bytes.subarray(0, at), 3840);
  for (let press = 0; press < 5; press += 1) {
    client.socket.send('{"type":"finalize"}');
    send(client, bytes.subarray(at + press * step, at + (press + 1) * step), 3840);
  }
  send(client, bytes.subarray(at + 5 * step), 3840);
  const results = await transcript(client);
  expect(wordsOf(results)).toEqual(words('My brother bought a new car last summer and drove it across the country.'));
  expect(finals(results).filter(({ text }) => text === '<fin>')).toHaveLength(5);
});

it('stays as it was while many send at once: silence, rubbish in the middle of a container, and speech', async () => {
  const speech = await begin({});
  const broken = await begin({ audio_format: 'ogg' });
  const silent = await begin({});
  const ogg = await audio('short.ogg');
  send(broken, Buffer.concat([ogg.subarray(0, 3000), Buffer.alloc(20_000, 0x5a), ogg.subarray(3000)]), 1000);
  send(silent, Buffer.alloc(32_000), 3200);
  send(speech, new Uint8Array(samples.buffer), 3200);
  broken.socket.send('');
  const [heard = [], none = []] = await Promise.all([speech, silent].map(transcript));
  expect(textOf(heard)).toEqual(SENTENCE);
  expect(spoken(none)).toEqual([]);
  expect(await broken.closed).toBe(1000);
});
