import { describe, expect, it } from 'vitest';
import { agreedPieces, presentable, wordBoundaries } from '#server/engine/recognizer/hypothesis.ts';
import { lengthWithoutLoop } from '#server/engine/recognizer/recognizer.ts';
import type { Piece } from '#server/engine/recognizer/recognizer.ts';
import { TokenWriter } from '#server/engine/recognizer/token-writer.ts';
import { toPieces } from '#server/engine/recognizer/tokenizer.ts';

/** Pieces of 200 ms each, one id per text. */
const pieces = (texts: string, confidence = 0.9): Piece[] =>
  texts.split('|').map((text, index) => ({
    text,
    ids: Array.from(text, (letter) => letter.charCodeAt(0)),
    startMs: index * 200,
    endMs: (index + 1) * 200,
    confidence,
  }));

describe('tokenizer', () => {
  it('reads pieces with their leading space', () => {
    expect(toPieces([22_172, 3186]).map(({ text }) => text)).toEqual([' hello', ' world']);
  });

  it('joins the bytes of a character that is spread over several ids', () => {
    // é is C3 A9; byte pieces begin at id 3.
    const found = toPieces([22_172, 0xc3 + 3, 0xa9 + 3, 0x21 + 3]);
    expect(found.map(({ text }) => text)).toEqual([' hello', 'é', '!']);
    expect(found.map(({ ids }) => ids.length)).toEqual([1, 2, 1]);
  });

  it('drops half a character, and ids without text, but keeps count of them', () => {
    const found = toPieces([22_172, 32_500, 0xc3 + 3]);
    expect(found).toEqual([{ text: ' hello', ids: [22_172, 32_500, 0xc3 + 3] }]);
  });
});

describe('a hypothesis about open speech', () => {
  it('commits whole words that two looks agree on, up to the last agreed start of a word', () => {
    expect(agreedPieces(pieces(' one| two| thr|ee| four'), pieces(' one| two| thr|ee'), 1500)).toBe(2);
    expect(agreedPieces(pieces(' one| two| thr|ee| four'), pieces(' one| two| thr|ee| four| five'), 1100)).toBe(2);
    expect(agreedPieces(pieces(' one| two'), pieces(' won| two'), 1000)).toBe(0);
  });

  it('never commits a full stop that only the end of the audio suggests', () => {
    expect(agreedPieces(pieces(' one| two|.'), pieces(' one| two|.'), 3000)).toBe(1);
  });

  it('commits words older than four seconds even without agreement', () => {
    expect(agreedPieces(pieces(' one| two| three'), pieces(' uno| dos'), 4400)).toBe(2);
    expect(agreedPieces(pieces(' one| two| three'), pieces(' uno| dos'), 4100)).toBe(0);
  });

  it('shows neither trailing punctuation nor a guessed last word', () => {
    expect(presentable(pieces(' one| two|.')).map(({ text }) => text)).toEqual([' one', ' two']);
    expect(presentable([...pieces(' one'), ...pieces(' tw|o', 0.4)]).map(({ text }) => text)).toEqual([' one']);
  });

  it('finds the boundaries between words', () => {
    expect(wordBoundaries(pieces(' one|,| tw|o')).map(({ index, punctuated }) => [index, punctuated])).toEqual([
      [2, true],
      [4, false],
    ]);
  });
});

describe('loops', () => {
  it('keeps one turn of a looping tail', () => {
    expect(lengthWithoutLoop([1, 2, 3, 4, 9, 9, 9, 9, 9, 9])).toBe(5);
    expect(lengthWithoutLoop([1, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8])).toBe(5);
  });

  it('leaves honest repetition alone', () => {
    expect(lengthWithoutLoop([1, 2, 2, 2])).toBe(4);
    expect(lengthWithoutLoop([5, 6, 7, 8, 5, 6, 7, 8])).toBe(8);
  });
});

describe('tokens', () => {
  it('each begin after the one before, however many crowd at the end of the audio', () => {
    const writer = new TokenWriter({});
    const crowd = (texts: string) => pieces(texts).map((piece) => ({ ...piece, startMs: 980, endMs: 1000 }));
    const starts = [
      writer.write(crowd(' a| b| c| d'), 1000),
      writer.preview(crowd(' e| f'), 1002),
      [writer.mark('<end>', 1002)],
      writer.write(crowd(' g'), 1100),
    ].map((told) => told.map(({ start_ms }) => start_ms));
    expect(starts).toEqual([[980, 997, 998, 999], [1000, 1001], [1002], [1003]]);
  });

  it('never go back and stay within the audio, across calls', () => {
    const writer = new TokenWriter({});
    const first = writer.write([{ text: ' a', ids: [1], startMs: 10, endMs: 300, confidence: 1 }], 1000);
    const second = writer.write(
      [
        { text: ' b', ids: [1], startMs: 120, endMs: 200, confidence: 1 },
        { text: ' c', ids: [1], startMs: 900, endMs: 1500, confidence: 1 },
      ],
      1000,
    );
    expect([...first, ...second].map(({ text, start_ms, end_ms }) => [text, start_ms, end_ms])).toEqual([
      ['a', 10, 300],
      [' b', 300, 301],
      [' c', 900, 1000],
    ]);
  });
});
