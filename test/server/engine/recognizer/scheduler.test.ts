import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { FromWorker } from '#server/engine/recognizer/protocol.ts';
import type { Recognizer } from '#server/engine/recognizer/recognizer.ts';
import { Scheduler } from '#server/engine/recognizer/scheduler.ts';
import type { Vad } from '#server/engine/recognizer/vad.ts';

const silent: Vad = { detector: () => ({ probability: () => Promise.resolve(0) }) };
const deaf: Recognizer = { recognize: () => Promise.resolve([]) };
const PCM = new Uint8Array(32_000);

// A process that has just loaded is handed all that waited for it in one go: each message comes some promises after the one before.
it.each(Array.from({ length: 8 }, (_, promises) => promises))(
  'REC-01: audio that comes %i promises after its stream was opened is taken in',
  async (promises) => {
    const sent: FromWorker[] = [];
    const scheduler = new Scheduler(deaf, silent, (message) => sent.push(message));
    scheduler.receive({ type: 'stream.open', id: 1, options: { sampleRate: 16_000, channels: 1 } });
    for (let n = 0; n < promises; n++) await Promise.resolve();
    scheduler.receive({ type: 'stream.audio', id: 1, pcm: PCM });
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    expect(sent.map(({ type }) => type)).toEqual(['stream.consumed', 'stream.result']);
  },
);
