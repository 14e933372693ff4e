import { SAMPLE_RATE } from '../port.ts';
import { FRAME_SAMPLES } from './moonshine.ts';

/** Milliseconds from the start of the decoded audio. */
export interface Span {
  startMs: number;
  endMs: number;
}

const FRAME_MS = (FRAME_SAMPLES * 1000) / SAMPLE_RATE;
const MEDIAN_WIDTH = 5;

/**
 * Finds token times by dynamic time warping over the decoder's cross-attention: the monotonic path through token ×
 * frame that collects most attention. Typically within ±100 ms of the real word boundaries.
 * @param attention [token, head, frame]: a row for each token, then one for the end mark
 */
export function alignTokens(attention: readonly (readonly Float32Array[])[], tokens: number, frames: number): Span[] {
  const rows = Math.min(attention.length, tokens + 1);
  if (rows === 0 || frames === 0) return [];
  const score = averageHeads(attention.slice(0, rows), frames).map((row) => medianFilter(row, MEDIAN_WIDTH));
  const bounds = warp(score, frames);
  return Array.from({ length: tokens }, (_, token) => {
    const bound = bounds[Math.min(token, rows - 1)] ?? { first: 0, last: 0 };
    return { startMs: bound.first * FRAME_MS, endMs: (bound.last + 1) * FRAME_MS };
  });
}

/**
 * Mean over the heads. Each frame is normalized over the tokens, so that frames that all tokens attend to do not count.
 */
function averageHeads(attention: readonly (readonly Float32Array[])[], frames: number): Float32Array[] {
  const rows = attention.length;
  const heads = attention[0]?.length ?? 0;
  const sum = Array.from({ length: rows }, () => new Float32Array(frames));
  for (let head = 0; head < heads; head += 1) {
    const weights = attention.map((row) => row[head] ?? new Float32Array(frames));
    const mean = new Float64Array(frames);
    const square = new Float64Array(frames);
    for (const row of weights) {
      for (let frame = 0; frame < frames; frame += 1) {
        const weight = row[frame] ?? 0;
        mean[frame] = (mean[frame] ?? 0) + weight / rows;
        square[frame] = (square[frame] ?? 0) + (weight * weight) / rows;
      }
    }
    const deviation = square.map((value, frame) => Math.sqrt(Math.max(value - (mean[frame] ?? 0) ** 2, 1e-12)));
    for (const [index, row] of weights.entries()) {
      const into = sum[index] ?? new Float32Array(frames);
      for (let frame = 0; frame < frames; frame += 1)
        into[frame] = (into[frame] ?? 0) + ((row[frame] ?? 0) - (mean[frame] ?? 0)) / (deviation[frame] ?? 1) / heads;
    }
  }
  return sum;
}

function medianFilter(values: Float32Array, width: number): Float32Array {
  const half = width >> 1;
  const window = new Float32Array(width);
  const filtered = new Float32Array(values.length);
  for (let index = 0; index < values.length; index += 1) {
    for (let k = 0; k < width; k += 1) {
      const value = values[Math.min(values.length - 1, Math.max(0, index + k - half))] ?? 0;
      // Insertion sort: fastest for so few values.
      let at = k;
      for (; at > 0 && (window[at - 1] ?? 0) > value; at -= 1) window[at] = window[at - 1] ?? 0;
      window[at] = value;
    }
    filtered[index] = window[half] ?? 0;
  }
  return filtered;
}

const DIAGONAL = 0;
const NEXT_TOKEN = 1;
const NEXT_FRAME = 2;

function warp(score: readonly Float32Array[], frames: number): { first: number; last: number }[] {
  const rows = score.length;
  const width = frames + 1;
  const moves = new Uint8Array((rows + 1) * width);
  let above = new Float64Array(width).fill(-Infinity);
  above[0] = 0;
  for (let row = 1; row <= rows; row += 1) {
    const current = new Float64Array(width).fill(-Infinity);
    for (let frame = 1; frame <= frames; frame += 1) {
      let from = above[frame - 1] ?? -Infinity;
      let move = DIAGONAL;
      if ((above[frame] ?? -Infinity) > from) {
        from = above[frame] ?? -Infinity;
        move = NEXT_TOKEN;
      }
      if ((current[frame - 1] ?? -Infinity) > from) {
        from = current[frame - 1] ?? -Infinity;
        move = NEXT_FRAME;
      }
      current[frame] = from + (score[row - 1]?.[frame - 1] ?? 0);
      moves[row * width + frame] = move;
    }
    above = current;
  }

  const bounds = Array.from({ length: rows }, () => ({ first: 0, last: -1 }));
  let row = rows;
  let frame = frames;
  while (row > 0 && frame > 0) {
    const bound = bounds[row - 1];
    if (bound === undefined) break;
    bound.first = frame - 1;
    if (bound.last < 0) bound.last = frame - 1;
    const move = moves[row * width + frame];
    if (move !== NEXT_FRAME) row -= 1;
    if (move !== NEXT_TOKEN) frame -= 1;
  }
  return bounds;
}
