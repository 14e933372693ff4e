import { describe, expect, it } from 'vitest';
import { alignTokens } from '#server/engine/recognizer/align.ts';
import { Segmenter } from '#server/engine/recognizer/segmenter.ts';
import type { Segment } from '#server/engine/recognizer/segmenter.ts';

/** Attention of `tokens` rows and an end row over `frames`, each row looking at its own stretch, with two heads of which one is noise. */
function attention(bounds: readonly number[], frames: number): Float32Array[][] {
  let seed = 1;
  const noise = (): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  return bounds.slice(0, -1).map((from, row) => {
    const to = bounds[row + 1] ?? frames;
    return [
      new Float32Array(frames).map((_, frame) => (frame >= from && frame < to ? 1 : 0.02) + noise() * 0.1),
      new Float32Array(frames).map(() => noise() * 0.2),
    ];
  });
}

describe('alignment', () => {
  it('finds the stretch of frames that each token looks at', () => {
    const spans = alignTokens(attention([0, 20, 50, 80, 100], 100), 3, 100);
    const expected = [
      [0, 480],
      [480, 1200],
      [1200, 1920],
    ];
    spans.forEach(({ startMs, endMs }, index) => {
      expect(Math.abs(startMs - (expected[index]?.[0] ?? 0))).toBeLessThanOrEqual(72);
      expect(Math.abs(endMs - (expected[index]?.[1] ?? 0))).toBeLessThanOrEqual(72);
    });
  });

  it('never goes back, even when attention does', () => {
    const spans = alignTokens(attention([0, 60, 20, 80, 40, 100], 100), 4, 100);
    for (const [index, span] of spans.entries()) {
      expect(span.endMs).toBeGreaterThan(span.startMs);
      expect(span.startMs).toBeGreaterThanOrEqual(spans[index - 1]?.startMs ?? 0);
      expect(span.endMs).toBeGreaterThanOrEqual(spans[index - 1]?.endMs ?? 0);
      expect(span.endMs).toBeLessThanOrEqual(2400);
    }
  });

  it('gives every token a span when the decoder stopped early', () => {
    expect(alignTokens(attention([0, 30, 60], 60), 2, 60)).toHaveLength(2);
    expect(alignTokens([], 0, 60)).toEqual([]);
  });
});

const FRAME = 512;

/** Segments of a recording described as [frames, speech probability] runs. */
function segments(...runs: [frames: number, probability: number][]): Segment[] {
  const segmenter = new Segmenter();
  const found: (Segment | undefined)[] = [];
  for (const [frames, probability] of runs)
    for (let frame = 0; frame < frames; frame += 1) found.push(segmenter.push(probability));
  found.push(segmenter.flush());
  return found.filter((segment) => segment !== undefined);
}

describe('segmentation', () => {
  it('cuts at pauses of 0.8 s and pads what it cuts', () => {
    const [first, second, ...others] = segments([31, 0], [62, 0.9], [31, 0], [31, 0.9], [31, 0]);
    expect(others).toEqual([]);
    expect(first).toEqual({ start: 31 * FRAME - 2400, end: 93 * FRAME + 2400 });
    expect(second).toEqual({ start: 124 * FRAME - 2400, end: 155 * FRAME + 2400 });
  });

  it('keeps shorter pauses inside', () => {
    expect(segments([31, 0.9], [20, 0], [31, 0.9])).toHaveLength(1);
  });

  it('is not switched on by doubtful frames, nor off by them', () => {
    expect(segments([100, 0.45])).toEqual([]);
    expect(segments([10, 0.9], [60, 0.4], [10, 0.9])).toHaveLength(1);
  });

  it('drops clicks shorter than 0.1 s', () => {
    expect(segments([31, 0], [2, 0.9], [62, 0])).toEqual([]);
  });

  it('cuts speech without pauses before 20 s, at its quietest place, and loses nothing', () => {
    const found = segments([450, 0.95], [3, 0.6], [800, 0.95]);
    expect(found.length).toBeGreaterThanOrEqual(2);
    expect(Math.abs((found[0]?.end ?? 0) - 451 * FRAME)).toBeLessThanOrEqual(2 * FRAME);
    for (const segment of found) expect(segment.end - segment.start).toBeLessThanOrEqual(20 * 16_000 + 2 * 2400);
    expect(found.slice(1).map(({ start }) => start)).toEqual(found.slice(0, -1).map(({ end }) => end));
  });
});
