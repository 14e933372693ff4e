import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import type { LiveToken } from '#contract/live.ts';
import { createLineReader, segmentsOf, type Segment } from '#machines/transcript/lines.ts';
import { transcriptMachine } from '#machines/transcript/machine.ts';
import { append, CHUNK_TOKENS, recordOf, SEPARATOR, type Token } from '#machines/transcript/record.ts';

const final = (text: string, more: Partial<LiveToken> = {}): LiveToken => ({ text, is_final: true, ...more });
const pending = (text: string): LiveToken => ({ text, is_final: false });
const texts = (segments: readonly Segment[]) => segments.map((segment) => segment.words.map((word) => word.text));

describe('the record of a live session', () => {
  it('LIV-22: final tokens stay, pending ones are replaced by every message', () => {
    const actor = createActor(transcriptMachine).start();
    actor.send({ type: 'tokens.received', tokens: [final('Hel'), pending('lo'), pending(' you')] });
    actor.send({ type: 'tokens.received', tokens: [final('lo'), pending(' yo')] });
    const { tail, pending: open, finalCount } = actor.getSnapshot().context;
    expect(tail).toEqual([{ text: 'Hel' }, { text: 'lo' }]);
    expect(open).toEqual([{ text: ' yo' }]);
    expect(finalCount).toBe(2);
  });
  it('LIV-07: a separator ends a session and takes the pending tokens with it; clearing forgets all', () => {
    const actor = createActor(transcriptMachine).start();
    actor.send({ type: 'tokens.received', tokens: [final('a'), pending('b')] });
    actor.send({ type: 'separator.appended' });
    expect(actor.getSnapshot().context).toMatchObject({ tail: [{ text: 'a' }, SEPARATOR], pending: [], finalCount: 1 });
    actor.send({ type: 'transcript.cleared' });
    expect(actor.getSnapshot().context).toEqual({ chunks: [], tail: [], pending: [], finalCount: 0 });
  });
  it.each(['<end>', '<fin>'])('the marker %s is a boundary and never text', (marker) => {
    const actor = createActor(transcriptMachine).start();
    actor.send({ type: 'tokens.received', tokens: [final('a'), final(marker), pending(marker)] });
    expect(actor.getSnapshot().context).toMatchObject({ tail: [{ text: 'a' }, { text: '', boundary: 'segment' }], pending: [], finalCount: 1 });
  });
  it('TRN-05: a message copies at most one chunk, and full chunks stay the same objects', () => {
    const many = recordOf(Array.from({ length: 100_000 }, (_, index) => ({ text: ` w${index}` })));
    expect(many.chunks).toHaveLength(Math.floor(100_000 / CHUNK_TOKENS));
    expect(many.tail.length).toBeLessThan(CHUNK_TOKENS);
    const grown = append(many, [{ text: ' more' }]);
    expect(grown.chunks).toBe(many.chunks);
    const over = append(many, Array.from({ length: CHUNK_TOKENS }, () => ({ text: ' x' })));
    expect(over.chunks).toHaveLength(many.chunks.length + 1);
    expect(over.chunks[0]).toBe(many.chunks[0]);
    expect([...over.chunks.flat(), ...over.tail]).toHaveLength(100_000 + CHUNK_TOKENS);
  });
});

describe('lines', () => {
  it('joins sub-word tokens into words', () => {
    expect(texts(segmentsOf([{ text: 'Hel' }, { text: 'lo' }, { text: ' wor' }, { text: 'ld' }, { text: '.' }]))).toEqual([['Hello', ' world.']]);
  });
  it('does not wait for blanks where a script has none', () => {
    expect(texts(segmentsOf([{ text: '你好' }, { text: '世界' }, { text: '。' }]))).toEqual([['你好', '世界。']]);
  });
  it('begins a segment with every change of speaker, language or translation, and after a boundary', () => {
    const tokens: Token[] = [
      { text: 'a', speaker: '1', language: 'en' }, { text: ' b', speaker: '2', language: 'en' }, { text: ' c', speaker: '2', language: 'de' },
      { text: ' d', speaker: '2', language: 'de', translation_status: 'translation' }, { text: '', boundary: 'segment' },
      { text: ' e', speaker: '2', language: 'de', translation_status: 'translation' }, SEPARATOR, { text: 'f' },
    ];
    const segments = segmentsOf(tokens);
    expect(texts(segments)).toEqual([['a'], [' b'], [' c'], [' d'], [' e'], [], ['f']]);
    expect(segments.map(({ key }) => key)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(segments[5]?.kind).toBe('separator');
    expect(segments[3]).toMatchObject({ speaker: '2', language: 'de', isTranslation: true });
  });
  it('TRN-03: shows everything, translations or originals; what is not translated belongs to both', () => {
    const tokens: Token[] = [{ text: 'a', translation_status: 'none' }, { text: ' b', translation_status: 'original' }, { text: ' c', translation_status: 'translation' }];
    expect(texts(segmentsOf(tokens)).flat()).toEqual(['a', ' b', ' c']);
    expect(texts(segmentsOf(tokens, 'translation')).flat()).toEqual(['a', ' c']);
    expect(texts(segmentsOf(tokens, 'original')).flat()).toEqual(['a', ' b']);
  });
  it('LIV-22: tells pending words from final ones, and does not glue them together', () => {
    const read = createLineReader();
    const [segment] = read({ chunks: [], tail: [{ text: 'Hel' }], pending: [{ text: 'lo' }, { text: ' you' }], finalCount: 1 });
    expect(segment?.words.map((word) => word.text)).toEqual(['Hel', 'lo', ' you']);
    expect(segment?.finalWords).toBe(1);
  });
  it('reads a growing record as it would read the whole, and keeps settled segments as they are', () => {
    const tokens: Token[] = Array.from({ length: 3 * CHUNK_TOKENS + 7 }, (_, index) => ({ text: ` w${index}`, speaker: String(Math.floor(index / 100)) }));
    const read = createLineReader();
    let record = recordOf([]);
    let before: readonly Segment[] = [];
    for (let start = 0; start < tokens.length; start += 50) {
      record = append(record, tokens.slice(start, start + 50));
      const segments = read(record);
      expect(segments).toEqual(segmentsOf(tokens.slice(0, start + 50)));
      const settled = Math.floor((record.chunks.length * CHUNK_TOKENS) / 100) - 1;
      for (let index = 0; index < settled && index < before.length - 4; index += 1) expect(segments[index]).toBe(before[index]);
      before = segments;
    }
    expect(texts(read(recordOf([{ text: 'new' }])))).toEqual([['new']]);
  });
});
