/** Clients of the live socket that send anything: random requests, frames and controls, sound and rubbish in any format. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import * as v from 'valibot';
import WebSocket from 'ws';
import { LIVE_PATH, LiveFrame } from '#contract/live.ts';
import { CLIPS_FOLDER } from '#test/audio/clips.ts';

interface WildClient {
  frames: (string | Buffer)[];
  /** How it ends: it says that the audio is over and waits, closes, or vanishes. */
  ending: 'end' | 'close' | 'vanish';
}

/** The server gives a stream a minute to finish, and a client half a minute to answer its close. */
const PATIENCE_MS = 100_000;
const recordings = ['short.wav', 'short.mp3', 'short.ogg', 'short.opus', 'short.flac'].map((name) =>
  readFileSync(join(CLIPS_FOLDER, name)),
);

const odd = fc.jsonValue({ maxDepth: 2 });
const format = fc.oneof(
  { weight: 3, arbitrary: fc.constant('auto') },
  { weight: 2, arbitrary: fc.constantFrom('s16le', 'pcm_f32be', 'pcm_u8', 'mulaw', 'pcm_s24le') },
  { weight: 1, arbitrary: fc.constantFrom('wav', 'mp3', 'ogg', 'webm', 'flac', 'aac', 'amr') },
);
const right = {
  model: fc.constant('parlance-rt-1'),
  audio_format: format,
  sample_rate: fc.integer({ min: 8000, max: 96_000 }),
  num_channels: fc.integer({ min: 1, max: 8 }),
  enable_endpoint_detection: fc.boolean(),
  enable_speaker_diarization: fc.boolean(),
};
const wrong = {
  context: odd,
  language_hints: odd,
  translation: odd,
  max_endpoint_delay_ms: odd,
  client_reference_id: odd,
  model: odd,
  sample_rate: odd,
};
const startRequest = fc.oneof(
  { weight: 4, arbitrary: fc.record(right) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.record(right), fc.record(wrong, { requiredKeys: [] }))
      .map((halves) => Object.assign({}, ...halves) as Record<string, unknown>),
  },
);
const text = fc.oneof(
  fc.constantFrom(
    '{"type":"finalize"}',
    '{"type":"keepalive"}',
    '{"type":"finalize","trailing_silence_ms":-1e309}',
    '{"type":',
    '[]',
    'null',
    '"x"',
    '=',
    'AAAA',
    'A'.repeat(100_000),
  ),
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc.base64String(),
);
/** A piece of a real recording, from its start or out of the middle. */
const sound = fc
  .tuple(fc.nat(recordings.length - 1), fc.oneof(fc.constant(0), fc.nat(20_000)), fc.integer({ min: 1, max: 40_000 }))
  .map(([which, at, bytes]) => (recordings[which] ?? Buffer.alloc(0)).subarray(at, at + bytes));
const rubbish = fc.uint8Array({ maxLength: 4000 }).map((bytes) => Buffer.from(bytes));
const frame = fc.oneof(
  { weight: 12, arbitrary: sound },
  { weight: 3, arbitrary: rubbish },
  { weight: 1, arbitrary: text },
);

export const wildClient: fc.Arbitrary<WildClient> = fc.record({
  frames: fc
    .tuple(fc.option(startRequest, { freq: 10 }), fc.array(frame, { maxLength: 25 }))
    .map(([start, rest]) => (start ? [JSON.stringify(start), ...rest] : rest)),
  ending: fc.oneof(
    { weight: 4, arbitrary: fc.constant('end' as const) },
    { weight: 2, arbitrary: fc.constantFrom('close' as const, 'vanish' as const) },
  ),
});

/** Does what a client does. @returns what is wrong with how the server took it, if anything is; whether it got past the start request */
export function behave(
  { frames, ending }: WildClient,
  url: string,
  key: string,
): Promise<{ problem: string | undefined; served: boolean }> {
  // The key is in the handshake: it is never what is wrong.
  const socket = new WebSocket(url.replace(/^http/, 'ws') + LIVE_PATH, { headers: { authorization: `Bearer ${key}` } });
  let problem: string | undefined;
  let over = false;
  let served = false;
  socket.on('open', () => {
    for (const one of frames) socket.send(one);
    if (ending === 'end') socket.send('');
    else if (ending === 'close') socket.close(1000);
    else socket.terminate();
  });
  socket.on('message', (data: Buffer) => {
    const read = v.safeParse(LiveFrame, JSON.parse(data.toString('utf8')));
    if (!read.success) problem ??= `a frame that nobody knows: ${data.toString('utf8')}`;
    else if (over) problem ??= 'a frame after the last one';
    else if ('error_message' in read.output) {
      over = true;
      if (read.output.error_code === undefined || read.output.error_code === 500)
        problem ??= `the server failed: ${read.output.error_message}`;
    } else {
      served = true;
      over = read.output.finished === true;
    }
  });
  socket.on('error', () => {});
  return new Promise((resolve) => {
    const impatience = setTimeout(() => {
      problem ??= 'not closed in time';
      socket.terminate();
    }, PATIENCE_MS);
    socket.on('close', (code) => {
      clearTimeout(impatience);
      if (ending === 'end' && (code !== 1000 || !over)) problem ??= `closed with ${code} without a last word`;
      resolve({ problem, served });
    });
  });
}
