/** Clients of the live socket, as the measurements need them. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as v from 'valibot';
import WebSocket from 'ws';
import { AUDIO_FORMAT, CHUNK_INTERVAL_MS, LIVE_PATH, LiveFrame } from '#contract/live.ts';
import type { Clip } from '#test/audio/clips.ts';

const open = (url: string): WebSocket => new WebSocket(url.replace(/^http/, 'ws') + LIVE_PATH);
const startRequest = (key: string, { sampleRate }: Clip): string =>
  JSON.stringify({ api_key: key, audio_format: AUDIO_FORMAT, sample_rate: sampleRate, num_channels: 1 });
const chunkBytes = ({ sampleRate }: Clip): number => Math.round((sampleRate * CHUNK_INTERVAL_MS) / 1000) * 2;

/**
 * Says everything at once and reads to the end.
 * @returns the final text.
 * @throws Error when the server does not finish the stream in good order
 */
export function speakOnce(url: string, key: string, clip: Clip): Promise<string> {
  const socket = open(url);
  let text = '';
  let finished = false;
  let failure = '';
  socket.on('open', () => {
    socket.send(startRequest(key, clip));
    for (let at = 0; at < clip.pcm.length; at += chunkBytes(clip))
      socket.send(clip.pcm.subarray(at, at + chunkBytes(clip)));
    socket.send('');
  });
  socket.on('message', (data: Buffer) => {
    const frame = v.parse(LiveFrame, JSON.parse(data.toString('utf8')));
    if ('error_message' in frame) return void (failure = `${frame.error_code} ${frame.error_message}`);
    for (const token of frame.tokens) if (token.is_final) text += token.text;
    finished ||= frame.finished === true;
  });
  socket.on('error', (error) => (failure = String(error)));
  return new Promise((resolve, reject) => {
    socket.on('close', (code) =>
      finished && code === 1000 ? resolve(text) : reject(new Error(`The stream ended with ${code}. ${failure}`)),
    );
  });
}

/**
 * Speaks at the speed of speech until `stop`, and never reads an answer; connects again when it is thrown out.
 * It leaves without a word, or says that the audio ends and then stays as deaf as before.
 * @returns how often it connected
 */
export async function speakDeaf(
  url: string,
  key: string,
  clip: Clip,
  stop: { at: number; politely: boolean; patienceMs: number },
): Promise<number> {
  let connections = 0;
  while (performance.now() < stop.at) {
    const socket = open(url);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    await Promise.race([new Promise((resolve) => socket.once('open', resolve)), closed]);
    if (socket.readyState !== WebSocket.OPEN) continue;
    connections += 1;
    socket.pause();
    socket.send(startRequest(key, clip));
    const step = chunkBytes(clip);
    for (
      let at = 0;
      socket.readyState === WebSocket.OPEN && performance.now() < stop.at;
      at = (at + step) % (clip.pcm.length - step)
    ) {
      // What the server does not take is not piled up here.
      if (socket.bufferedAmount < 1 << 20) socket.send(clip.pcm.subarray(at - (at % 2), at - (at % 2) + step));
      await sleep(CHUNK_INTERVAL_MS);
    }
    if (stop.politely && socket.readyState === WebSocket.OPEN) {
      socket.send('');
      await Promise.race([closed, sleep(stop.patienceMs)]);
    }
    socket.terminate();
    await closed;
  }
  return connections;
}
