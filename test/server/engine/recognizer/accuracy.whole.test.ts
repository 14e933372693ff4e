import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import type { Recognizer } from '#server/engine/recognizer/recognizer.ts';
import type { Vad } from '#server/engine/recognizer/vad.ts';
import { drive, finalText, spoken, toPcm, transcribeWhole } from '#test/audio/drive.ts';
import { loadModels } from '#test/audio/models.ts';
import { spokenRecordings, wordStarts } from '#test/audio/recordings.ts';
import type { SpokenRecording } from '#test/audio/recordings.ts';
import { wordErrors, words } from '#test/audio/wer.ts';

// Two minutes of speech, recognized three times: on a machine that does other work too, this takes its time.
vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 });

let recognizer: Recognizer;
let vad: Vad;
let recordings: SpokenRecording[];
let whole: TranscriptToken[][] = [];
let total = 0;

const textOf = (tokens: readonly { text: string }[]): string => tokens.map(({ text }) => text).join('');
/** Wrong words of all recordings together. */
const wrong = (heard: (index: number) => string): number =>
  recordings.reduce((sum, { text }, index) => sum + wordErrors(text, heard(index)), 0);
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

async function transcribeAll(by: Recognizer, detector: Vad): Promise<TranscriptToken[][]> {
  const all: TranscriptToken[][] = [];
  for (const { samples } of recordings) all.push(await transcribeWhole(by, detector, samples));
  return all;
}

/** A recording with silence of 900 ms after these times. */
function withPauses(samples: Float32Array, afterMs: readonly number[]): Float32Array {
  const pause = 0.9 * 16_000;
  const longer = new Float32Array(samples.length + afterMs.length * pause);
  let [from, at] = [0, 0];
  for (const until of [...afterMs.map((ms) => Math.round(ms * 16)), samples.length]) {
    longer.set(samples.subarray(from, until), at);
    at += until - from + pause;
    from = until;
  }
  return longer;
}

beforeAll(async () => {
  [{ recognizer, vad }, recordings] = await Promise.all([loadModels(), spokenRecordings()]);
  total = recordings.reduce((sum, { text }) => sum + words(text).length, 0);
  whole = await transcribeAll(recognizer, vad);
});

describe('thirty-six sentences in two voices', () => {
  it('have at most 3 percent wrong words as whole recordings', () => {
    expect(wrong((index) => textOf(whole[index] ?? [])) / total).toBeLessThanOrEqual(0.03);
  });

  it('are not much worse live', async () => {
    const live: string[] = [];
    for (const { samples } of recordings)
      live.push(
        finalText(await drive(recognizer, vad, { sampleRate: 16_000, channels: 1 }, spoken(toPcm(samples), 3840))),
      );
    expect(
      (wrong((index) => live[index] ?? '') - wrong((index) => textOf(whole[index] ?? []))) / total,
    ).toBeLessThanOrEqual(0.01);
    expect(wrong((index) => live[index] ?? '') / total).toBeLessThanOrEqual(0.03);
  });

  it('REC-09 lose few words live where they are broken by pauses, because each part goes on from the last words', async () => {
    // Every fifth word is followed by a pause that ends a segment.
    const broken = recordings.slice(0, 3).map(({ text, samples, spoken: said }) => ({
      text,
      samples: withPauses(
        samples,
        said.flatMap(({ endMs }, index) => (index % 5 === 4 && index + 1 < said.length ? [endMs] : [])),
      ),
    }));
    let [errors, alone] = [0, 0];
    for (const { text, samples } of broken) {
      const heard = finalText(
        await drive(recognizer, vad, { sampleRate: 16_000, channels: 1 }, spoken(toPcm(samples), 3840)),
      );
      errors += wordErrors(text, heard);
      // A recording has each part heard by itself.
      alone += wordErrors(text, textOf(await transcribeWhole(recognizer, vad, samples)));
    }
    expect(errors).toBeLessThanOrEqual(0.6 * alone);
  });

  it('are heard alike, word for word, by both runtimes', async () => {
    const wasm = await loadModels('wasm');
    const heard = await transcribeAll(wasm.recognizer, wasm.vad);
    const differing = heard.reduce(
      (sum, tokens, index) => sum + wordErrors(textOf(whole[index] ?? []), textOf(tokens)),
      0,
    );
    expect(wrong((index) => textOf(heard[index] ?? [])) / total).toBeLessThanOrEqual(0.03);
    expect(differing).toBe(0);
  });
});

describe('token times', () => {
  it('go forward, have a length, and stay within the recording', () => {
    for (const [index, { samples }] of recordings.entries()) {
      let last = 0;
      for (const { start_ms: start = -1, end_ms: end = -1 } of whole[index] ?? []) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        last = end;
      }
      expect(last).toBeLessThanOrEqual(samples.length / 16);
    }
  });

  it('tell the start of a word within 100 ms of the truth, and nine in ten within 200 ms', () => {
    const errors = recordings.flatMap(({ spoken: said }, index) =>
      wordStarts(said, whole[index] ?? []).map(({ spokenMs, heardMs }) => Math.abs(heardMs - spokenMs)),
    );
    expect(errors.length).toBeGreaterThan(total * 0.9);
    expect(median(errors)).toBeLessThanOrEqual(100);
    expect(errors.filter((error) => error <= 200).length / errors.length).toBeGreaterThanOrEqual(0.9);
  });
});
