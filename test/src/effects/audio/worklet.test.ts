import { beforeAll, describe, expect, it } from 'vitest';
import { chunkSamples } from '#src/effects/audio/pcmTap.ts';

type Message = { type: 'started' } | { type: 'chunk'; pcm: ArrayBuffer } | { type: 'drained' };
type Processor = {
  port: { onmessage: (event: { data: object }) => void };
  process: (inputs: Float32Array[][]) => boolean;
};
let Registered: new (options: { processorOptions: { chunkSamples: number } }) => Processor;
let posted: { message: Message; transferred: readonly object[] }[] = [];

class AudioWorkletProcessor {
  port = {
    onmessage: null,
    postMessage: (message: Message, transferred: object[] = []) =>
      void posted.push({ message: structuredClone(message, { transfer: transferred as ArrayBuffer[] }), transferred }),
  };
}

beforeAll(async () => {
  // What the audio thread offers a worklet.
  Object.assign(globalThis, {
    AudioWorkletProcessor,
    registerProcessor: (_name: string, made: typeof Registered) => (Registered = made),
  });
  // @ts-expect-error The worklet is plain JavaScript, loaded as it stands.
  await import('#src/effects/audio/pcm.worklet.js');
});

function open(samples: number) {
  posted = [];
  const processor = new Registered({ processorOptions: { chunkSamples: samples } });
  const tell = (data: object) => processor.port.onmessage({ data });
  const quantum = (values: number[], ...more: number[][]) =>
    processor.process([[values, ...more].map((channel) => Float32Array.from(channel))]);
  const chunks = () =>
    posted.flatMap(({ message }) => (message.type === 'chunk' ? [[...new Int16Array(message.pcm)]] : []));
  return { processor, tell, quantum, chunks, types: () => posted.map(({ message }) => message.type) };
}

function started(samples: number) {
  const opened = open(samples);
  opened.tell({ type: 'start' });
  return opened;
}

describe('the PCM worklet', () => {
  it('LIV-12: clamps and converts to signed 16 bits', () => {
    const { quantum, chunks } = started(7);
    quantum([0, 1, -1, 2, -2, 0.5, Number.NaN]);
    expect(chunks()).toEqual([[0, 32_767, -32_768, 32_767, -32_768, 16_384, 0]]);
  });

  it('LIV-12: mixes to mono', () => {
    const { quantum, chunks } = started(2);
    quantum([1, -1], [0, -1]);
    expect(chunks()).toEqual([[16_384, -32_768]]);
  });

  it('LIV-13: batches quanta into chunks, carries the rest over and hands the memory on', () => {
    const { tell, quantum, chunks } = started(5);
    for (let i = 0; i < 3; i++) quantum([0, 0, 0, 1]);
    expect(chunks()).toEqual([
      [0, 0, 0, 32_767, 0],
      [0, 0, 32_767, 0, 0],
    ]);
    expect(posted.map(({ transferred }) => transferred.length)).toEqual([0, 1, 1]);
    tell({ type: 'stop', drainSamples: 0 });
    expect(chunks().at(-1)).toEqual([0, 32_767]);
    expect(posted.at(-1)?.message.type).toBe('drained');
  });

  it('hears nothing before its start, and stops after the samples that are still to drain', () => {
    const { tell, quantum, types, chunks } = open(100);
    expect(quantum([1, 1])).toBe(true);
    tell({ type: 'start' });
    quantum([0, 0]);
    tell({ type: 'stop', drainSamples: 4 });
    expect(quantum([0, 0])).toBe(true);
    expect(types()).toEqual(['started']);
    expect(quantum([0, 0])).toBe(false);
    expect(types()).toEqual(['started', 'chunk', 'drained']);
    expect(chunks()[0]).toHaveLength(6);
    expect(quantum([1, 1])).toBe(false);
    expect(types()).toHaveLength(3);
  });

  it('drains by time where the source has no channels any more', () => {
    const { processor, tell, types } = started(100);
    tell({ type: 'stop', drainSamples: 129 });
    expect(processor.process([[]])).toBe(true);
    expect(processor.process([[]])).toBe(false);
    expect(types()).toEqual(['started', 'drained']);
  });

  it.each([
    [8_000, 960],
    [44_100, 5_292],
    [48_000, 5_760],
    [384_000, 30_000],
  ])('LIV-13: at %i Hz a chunk has %i samples, never more than 60000 bytes', (rate, samples) => {
    expect(chunkSamples(rate)).toBe(samples);
    expect(chunkSamples(rate) * 2).toBeLessThanOrEqual(60_000);
  });
});
