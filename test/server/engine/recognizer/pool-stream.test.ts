import { expect, it, onTestFinished, vi } from 'vitest';
import { PoolStream } from '#server/engine/recognizer/pool-stream.ts';
import type { ToWorker } from '#server/engine/recognizer/protocol.ts';

const repeat = (count: number, ...gaps: number[]): number[] => Array.from({ length: count }, () => gaps).flat();

it.each([
  ['0.3 s in small pieces', repeat(50, 20), 300],
  ['twice the gap in pieces of half a second', repeat(4, 500), 1000],
  ['1.5 s in pieces of a second', repeat(4, 1000), 1500],
  ['by the longest gap where each piece comes in several', repeat(4, 600, 0, 200, 0), 1200],
  ['by a stall a moment ago', [500, ...repeat(100, 20)], 1000],
  ['no longer for a stall long ago', [500, ...repeat(150, 20)], 300],
  ['no longer for a pause between two utterances', [...repeat(50, 20), 1600, ...repeat(50, 20)], 300],
])('REC-11: a finalize inside speech waits for audio %s', (_, gaps, quietMs) => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const posted: ToWorker[] = [];
  const stream = new PoolStream(
    1,
    { sampleRate: 16_000, channels: 1 },
    { result: () => undefined, error: () => undefined },
    (message) => posted.push(message),
    () => undefined,
  );
  for (const gap of [0, ...gaps]) {
    vi.advanceTimersByTime(gap);
    stream.write(new Uint8Array(2));
  }
  stream.finalize();
  expect(posted.at(-1)).toMatchObject({ type: 'stream.finalize', quietMs });
});
