import { SAMPLE_RATE } from '../port.ts';
import { alignTokens } from './align.ts';
import type { Span } from './align.ts';
import { Moonshine } from './moonshine.ts';
import type { DecodeOptions } from './moonshine.ts';
import type { Runtime } from './ort.ts';
import { toPieces } from './tokenizer.ts';

/**
 * A recognized sub-word. Its text includes a leading space if it begins a word; times count from the start of the given
 * audio.
 */
export interface Piece extends Span {
  text: string;
  ids: number[];
  /** 0..1, the model's probability of its least certain id. */
  confidence: number;
  speaker?: string;
}

/** The interface of the speech model. */
export interface Recognizer {
  recognize(samples: Float32Array, options?: DecodeOptions): Promise<Piece[]>;
}

const LOOP_MAX_PERIOD = 16;

/** How often `period` ids must repeat at the end to count as a loop instead of speech. */
function repeatsForLoop(period: number): number {
  if (period === 1) return 5;
  return period <= 3 ? 4 : 3;
}

/**
 * Length of the ids without a looping tail, of which one turn is kept. A greedy decoder that has lost the audio loops.
 */
export function lengthWithoutLoop(ids: readonly number[]): number {
  for (let period = 1; period <= Math.min(LOOP_MAX_PERIOD, ids.length >> 1); period += 1) {
    let repeats = 1;
    while (tailRepeats(ids, period, repeats)) repeats += 1;
    if (repeats >= repeatsForLoop(period)) return ids.length - (repeats - 1) * period;
  }
  return ids.length;
}

function tailRepeats(ids: readonly number[], period: number, turn: number): boolean {
  if ((turn + 1) * period > ids.length) return false;
  for (let k = 1; k <= period; k += 1) if (ids[ids.length - k] !== ids[ids.length - k - turn * period]) return false;
  return true;
}

/** Loads the model into this process. @throws EngineError 'model_missing' */
export async function loadRecognizer(runtime: Runtime): Promise<Recognizer> {
  const model = await Moonshine.load(runtime);
  return {
    async recognize(samples, options = {}) {
      const decoded = await model.decode(samples, options);
      const kept = Math.max(lengthWithoutLoop(decoded.ids), options.prefix?.length ?? 0);
      const spans = alignTokens(decoded.attention, kept, decoded.frames);
      const lengthMs = (samples.length * 1000) / SAMPLE_RATE;
      let at = 0;
      return toPieces(decoded.ids.slice(0, kept)).map(({ text, ids }) => {
        const from = at;
        at += ids.length;
        const startMs = Math.min(spans[from]?.startMs ?? 0, lengthMs);
        const endMs = Math.min(spans[at - 1]?.endMs ?? lengthMs, lengthMs);
        return { text, ids, startMs, endMs, confidence: Math.min(...decoded.probabilities.slice(from, at)) };
      });
    },
  };
}
