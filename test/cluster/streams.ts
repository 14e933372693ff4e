/** Clients of the live socket that come back when they are told to, and keep what they were told for good. */
import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import WebSocket from 'ws';
import { AUDIO_FORMAT, CHUNK_INTERVAL_MS, LIVE_PATH, LiveFrame } from '#contract/live.ts';
import type { Clip } from '../audio/clips.ts';
import { CLIP } from './recording.ts';

/** How a stream ended. `again`: the protocol's frame, or the handshake, that says to begin again; `cut`: without a word. */
export type StreamEnd = 'finished' | 'again' | 'cut' | `refused ${number}`;

export interface StreamTold {
  reference: string;
  /** What was to be said. */
  words: string;
  end: StreamEnd;
  /** What was said for good. */
  text: string;
  /** How much of the audio that is, milliseconds. */
  finalMs: number;
  /** Times of this process at which it began and ended. */
  from: number;
  to: number;
}

/** What is said, how many times faster than speech, and what its reference begins with. */
interface Speech {
  clip: Clip;
  speed: number;
  prefix?: string;
}

/** Opens one and sends its start request. @param key of a project */
export function openStream(url: string, key: string, reference: string, { sampleRate }: Clip = CLIP): WebSocket {
  const socket = new WebSocket(url.replace('http', 'ws') + LIVE_PATH);
  socket.on('open', () =>
    socket.send(
      JSON.stringify({
        api_key: key,
        audio_format: AUDIO_FORMAT,
        sample_rate: sampleRate,
        num_channels: 1,
        client_reference_id: reference,
      }),
    ),
  );
  return socket;
}

/** Says a clip, once. @returns when the stream has ended, however it did */
export async function speak(url: string, key: string, speech: Speech = { clip: CLIP, speed: 3 }): Promise<StreamTold> {
  const told: StreamTold = {
    reference: (speech.prefix ?? '') + randomUUID(),
    words: speech.clip.text,
    end: 'cut',
    text: '',
    finalMs: 0,
    from: performance.now(),
    to: 0,
  };
  const socket = openStream(url, key, told.reference, speech.clip);
  socket.on('message', (data: Buffer) => {
    const frame = v.parse(LiveFrame, JSON.parse(data.toString('utf8')));
    if ('error_message' in frame) told.end = frame.error_code === 503 ? 'again' : `refused ${frame.error_code ?? 0}`;
    else {
      told.text += frame.tokens.map(({ text, is_final }) => (is_final ? text : '')).join('');
      told.finalMs = Math.max(told.finalMs, frame.final_audio_proc_ms ?? 0);
      if (frame.finished === true) told.end = 'finished';
    }
  });
  socket.on('unexpected-response', (request, answer) => {
    told.end =
      answer.statusCode === 503 && answer.headers['retry-after'] !== undefined
        ? 'again'
        : `refused ${answer.statusCode ?? 0}`;
    request.destroy();
    socket.terminate();
  });
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => {
    socket.once('close', resolve);
  });
  socket.once('open', () => void say(socket, speech));
  await closed;
  told.to = performance.now();
  return told;
}

async function say(socket: WebSocket, { clip, speed }: Speech): Promise<void> {
  const bytes = Math.round((clip.sampleRate * CHUNK_INTERVAL_MS) / 1000) * 2;
  for (let at = 0; at < clip.pcm.length; at += bytes) {
    if (socket.readyState !== WebSocket.OPEN) return;
    socket.send(clip.pcm.subarray(at, at + bytes));
    await wait(CHUNK_INTERVAL_MS / speed);
  }
  if (socket.readyState === WebSocket.OPEN) socket.send('');
}
