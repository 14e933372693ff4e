/** The live socket on the real recognizer: containers, which are decoded on the way to it. */
import * as v from 'valibot';
import { expect, it, vi } from 'vitest';
import { LiveResult } from '#contract/live.ts';
import { findFfmpeg } from '#server/engine/decode/ffmpeg.ts';
import { liveKey, type LiveClient } from '../harness.ts';
import { audio, recognizerFixture, SENTENCE, words } from '../transcriptions/recognizer-fixture.ts';
import { begin as beginAt, finish } from './live-client.ts';

const { who } = recognizerFixture();
const begin = async (audio_format: string): Promise<LiveClient> => {
  const { server, user } = who();
  return beginAt(server, { api_key: await liveKey(server, user), audio_format });
};
const send = async (client: LiveClient, name: string): Promise<void> => {
  const bytes = await audio(name);
  for (let at = 0; at < bytes.length; at += 3840) client.socket.send(bytes.subarray(at, at + 3840));
};

// What becomes of each format is seen in decode-stream.test.ts, to the sample.
it.each([
  ['aac', 'formats/aac.aac', 'AAC needs ffmpeg: install it'],
  ['asf', 'formats/wma.wma', 'Windows Media (wma, asf) needs ffmpeg: install it'],
])('%s: heard whole where the machine can decode it, named where it cannot', async (audio_format, name, missing) => {
  const client = await begin(audio_format);
  await send(client, name);
  client.socket.send('');
  expect(await client.closed).toBe(1000);
  const { finished, error_message: refused, total_audio_proc_ms: heard } = client.frames.at(-1) ?? {};
  const isWhole = finished === true && Math.abs(Number(heard) - 1000) < 150;
  expect(isWhole ? 'whole' : String(refused)).toMatch((await findFfmpeg()) === undefined ? missing : /^whole$/);
});

it('finalize makes everything final, also what a container’s decoder still holds, and is answered when there is nothing', async () => {
  const client = await begin('auto');
  /** What is final so far. */
  const finals = (): string[] =>
    client.frames
      .flatMap((frame) => v.parse(LiveResult, frame).tokens)
      .flatMap(({ text, is_final }) => (is_final ? [text] : []));
  const said = (): string[] => finals().filter((text) => text !== '<fin>');
  const answered = (times: number): Promise<void> =>
    vi.waitFor(() => expect(finals().filter((text) => text === '<fin>')).toHaveLength(times), { timeout: 15_000 });
  client.socket.send('{"type":"finalize"}');
  await answered(1);
  expect(finals()).toEqual(['<fin>']);
  await send(client, 'short.wav');
  client.socket.send('{"type":"finalize","trailing_silence_ms":200}');
  await answered(2);
  const spoken = said();
  expect(words(spoken.join('')).join(' ')).toContain(SENTENCE);
  await finish(client);
  expect(said()).toEqual(spoken);
});
