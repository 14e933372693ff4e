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

beforeAll(async () => {
  [{ recognizer, vad }, recordings] = await Promise.all([loadModels(), spokenRecordings()]);
  total = recordings.reduce((sum, { text }) => sum + words(text).length, 0);
  whole = await transcribeAll(recognizer, vad);
});

describe('thirty-six sentences in two voices', () => {
  it('are enough to tell, and the synthesizer says its words when it says it does', () => {
    expect(total).toBeGreaterThanOrEqual(300);
    for (const {
      samples,
      spoken: [first],
    } of recordings) {
      const loud = samples.findIndex((sample) => Math.abs(sample) > 0.01) / 16;
      expect(Math.abs(loud - (first?.startMs ?? NaN))).toBeLessThanOrEqual(80);
    }
  });

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
