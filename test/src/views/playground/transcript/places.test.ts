import { describe, expect, it } from 'vitest';
import { createSegmentReader } from '#machines/playground/transcript/segments.ts';
import { append, recordOf, type Token } from '#machines/playground/transcript/record.ts';
import { createSpokenWordAt } from '#src/views/playground/transcript/places.ts';
import { createFinder, rangesIn } from '#src/views/playground/transcript/search.ts';

const segmentsOf = (tokens: readonly Token[]) => createSegmentReader()(recordOf(tokens));
const TOKENS: Token[] = [
  { text: ' Un', start_ms: 0, end_ms: 100, speaker: '1' },
  { text: ' café', start_ms: 100, end_ms: 300, speaker: '1' },
  { text: ' noir', start_ms: 900, end_ms: 1200, speaker: '1' },
  { text: ' Cafe', start_ms: 2000, end_ms: 2300, speaker: '2' },
  { text: '', boundary: 'separator' },
  { text: ' NOIR', start_ms: 3000, end_ms: 3300, speaker: '2' },
];

describe('search in a transcript', () => {
  it('finds words whatever their case and marks, over more than one word, in order', () => {
    const segments = segmentsOf(TOKENS);
    const find = createFinder();
    expect(find(segments, 'CAFE')).toEqual([
      { segment: 0, from: 1, to: 2 },
      { segment: 1, from: 0, to: 1 },
    ]);
    expect(find(segments, ' café  noir ')).toEqual([{ segment: 0, from: 1, to: 3 }]);
    expect(find(segments, 'oi')).toEqual([
      { segment: 0, from: 2, to: 3 },
      { segment: 3, from: 0, to: 1 },
    ]);
    expect(find(segments, '  ')).toEqual([]);
    expect(find(segments, 'nowhere')).toEqual([]);
  });

  it('TRN-05: a message looks for the words only where something is new, and finds the same', () => {
    const read = createSegmentReader();
    const find = createFinder();
    const record = recordOf(Array.from({ length: 2000 }, (_, index) => ({ text: ` w${index}.` })));
    const before = read(record);
    const hits = find(before, 'w19');
    const segments = read(append(record, [{ text: ' w19.' }]));
    const looked: number[] = [];
    const watched = new Proxy(segments, {
      get: (target, key) => {
        if (typeof key === 'string' && /^\d+$/.test(key)) looked.push(Number(key));
        return Reflect.get(target, key);
      },
    });
    const more = find(watched, 'w19');
    expect(more.length).toBe(hits.length + 1);
    expect(Math.min(...looked)).toBeGreaterThanOrEqual(before.length - 2);
    expect(more).toEqual(createFinder()(segments, 'w19'));
    expect(before.map((segment) => rangesIn(segment, 'w19'))).toEqual(
      before.map((segment) => rangesIn(segment, 'W19 ')),
    );
  });
});

describe('the place of a moment', () => {
  it('is the last word that has begun, pauses included', () => {
    const placeAt = createSpokenWordAt(segmentsOf(TOKENS));
    expect([0, 99, 100, 850, 900, 1999, 2000, 9999].map((ms) => placeAt(ms)?.startMs)).toEqual([
      0, 0, 100, 100, 900, 900, 2000, 3000,
    ]);
    expect(placeAt(2500)?.row).toBe(1);
    expect(placeAt(3100)?.row).toBe(3);
    expect(createSpokenWordAt(segmentsOf(TOKENS.slice(1)))(50)).toBeUndefined();
  });

  it('is never a translation, which is said nowhere', () => {
    const tokens: Token[] = [
      { text: 'Hello', start_ms: 0, end_ms: 500, translation_status: 'original' },
      { text: 'Hola', translation_status: 'translation' },
      { text: ' you', start_ms: 700, end_ms: 900, translation_status: 'original' },
    ];
    const placeAt = createSpokenWordAt(segmentsOf(tokens));
    expect([0, 600, 800].map((ms) => placeAt(ms))).toEqual([
      { startMs: 0, row: 0 },
      { startMs: 0, row: 0 },
      { startMs: 700, row: 2 },
    ]);
  });
});
