/** The spoken sentences as recordings, and what is to be heard in them. */
import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { speak } from './speech.ts';
import type { SpokenWord } from './speech.ts';
import { words } from './wer.ts';

export interface SpokenRecording {
  text: string;
  samples: Float32Array;
  /** Every word with its time in the recording. */
  spoken: SpokenWord[];
}

const RATE = 16_000;
const SENTENCES_EACH = 6;
const PAUSE = 0.8 * RATE;
const BEFORE = 0.5 * RATE;

/** All sentences of `sentences.json`, six to a recording, said by two voices in turn with pauses between them. */
export async function spokenRecordings(): Promise<SpokenRecording[]> {
  const sentences = v.parse(
    v.array(v.string()),
    JSON.parse(readFileSync(new URL('./sentences.json', import.meta.url), 'utf8')),
  );
  const said = await speak(sentences.map((text, index) => ({ voice: index % 2 === 0 ? 'slt' : 'rms', text })));
  const recordings: SpokenRecording[] = [];
  for (let first = 0; first < said.length; first += SENTENCES_EACH) {
    const group = said.slice(first, first + SENTENCES_EACH);
    const samples = new Float32Array(group.reduce((length, one) => length + one.samples.length + PAUSE, BEFORE));
    const spoken: SpokenWord[] = [];
    let at = BEFORE;
    for (const one of group) {
      const ms = (at * 1000) / RATE;
      samples.set(one.samples, at);
      spoken.push(...one.words.map(({ text, startMs, endMs }) => ({ text, startMs: startMs + ms, endMs: endMs + ms })));
      at += one.samples.length + PAUSE;
    }
    recordings.push({ text: group.map(({ text }) => text).join(' '), samples, spoken });
  }
  return recordings;
}

interface TimedText {
  text: string;
  start_ms?: number | undefined;
}

/** Start of every word that was heard as it was spoken: as the synthesizer laid it out, and as the recognizer tells it. */
export function wordStarts(
  spoken: readonly SpokenWord[],
  tokens: readonly TimedText[],
): { spokenMs: number; heardMs: number }[] {
  const heard: { text: string; startMs: number }[] = [];
  for (const { text, start_ms: startMs = 0 } of tokens) {
    const last = heard.at(-1);
    if (last === undefined || text.startsWith(' ')) heard.push({ text, startMs });
    else last.text += text;
  }
  const said = spoken.map(({ text, startMs }) => ({ word: words(text).join(' '), startMs }));
  const told = heard.map(({ text, startMs }) => ({ word: words(text).join(' '), startMs }));
  // Longest common subsequence of the words.
  const common = Array.from({ length: said.length + 1 }, () => new Uint16Array(told.length + 1));
  const at = (row: number, column: number): number => common[row]?.[column] ?? 0;
  const same = (row: number, column: number): boolean => said[row]?.word === told[column]?.word;
  for (let row = said.length - 1; row >= 0; row -= 1) {
    for (let column = told.length - 1; column >= 0; column -= 1) {
      common[row]?.fill(
        same(row, column) ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1)),
        column,
        column + 1,
      );
    }
  }
  const pairs: { spokenMs: number; heardMs: number }[] = [];
  for (let row = 0, column = 0; row < said.length && column < told.length;) {
    if (same(row, column)) {
      pairs.push({ spokenMs: said[row]?.startMs ?? 0, heardMs: told[column]?.startMs ?? 0 });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}
