import { beforeEach, expect, it, vi } from 'vitest';
import { openPcmTap } from '#src/effects/audio/pcmTap.ts';

beforeEach(() => void vi.useFakeTimers());

/** A tap on a context whose audio thread says what the test lets it say. */
async function open() {
  const port = { postMessage: vi.fn(), onmessage: null as ((message: { data: unknown }) => void) | null };
  const node = { port, connect: vi.fn(), disconnect: vi.fn() };
  vi.stubGlobal('AudioWorkletNode', function create() {
    return node;
  });
  const context = {
    sampleRate: 16_000,
    state: 'running',
    destination: {},
    audioWorklet: { addModule: () => Promise.resolve() },
  };
  const onChunk = vi.fn();
  const onDrained = vi.fn();
  const tap = await openPcmTap(context as unknown as AudioContext, { onChunk, onDrained });
  return { tap, node, context, onChunk, onDrained, say: (data: unknown) => port.onmessage?.({ data }) };
}

it('LVP-01: a tap that stops hands over the last chunk with its loudness, says once that it is drained, and is taken off', async () => {
  const { tap, node, onChunk, onDrained, say } = await open();
  tap.stop(500);
  expect(node.port.postMessage).toHaveBeenCalledExactlyOnceWith({ type: 'stop', drainSamples: 8000 });
  const pcm = new Int16Array([-32_768, -32_768]).buffer;
  say({ type: 'chunk', pcm });
  say({ type: 'drained' });
  vi.runAllTimers();
  expect(onChunk).toHaveBeenCalledExactlyOnceWith(pcm, 1);
  expect(onDrained).toHaveBeenCalledOnce();
  expect(node.disconnect).toHaveBeenCalledOnce();
});

it('a tap on a context that stands still waits for no samples, and counts as drained after a second', async () => {
  const { tap, node, context, onDrained } = await open();
  context.state = 'suspended';
  tap.stop(0);
  expect(node.port.postMessage).toHaveBeenCalledExactlyOnceWith({ type: 'stop', drainSamples: 0 });
  vi.advanceTimersByTime(999);
  expect(onDrained).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onDrained).toHaveBeenCalledOnce();
});

it('a tap that is closed says nothing more', async () => {
  const { tap, onChunk, onDrained, say } = await open();
  tap.close();
  say({ type: 'chunk', pcm: new ArrayBuffer(4) });
  tap.stop(0);
  vi.runAllTimers();
  expect([onChunk.mock.calls.length, onDrained.mock.calls.length]).toEqual([0, 0]);
});
