import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import type { LiveToken } from '#contract/live.ts';
import { createSegmentReader, segmentsOf, type Segment } from '#machines/playground/transcript/segments.ts';
import { transcriptMachine, type TranscriptNotice } from '#machines/playground/transcript/machine.ts';
import {
  append,
  CHUNK_TOKENS,
  EMPTY,
  receive,
  recordOf,
  SEPARATOR,
  tokensOf,
  type Token,
} from '#machines/playground/transcript/record.ts';
import { underParent } from '../playground-fixtures.ts';
import { alone } from '../appServices.ts';

const final = (text: string, more: Partial<LiveToken> = {}): LiveToken => ({ text, is_final: true, ...more });
const pending = (text: string): LiveToken => ({ text, is_final: false });
const texts = (segments: readonly Segment[]) => segments.map((segment) => segment.words.map((word) => word.text));
/** A transcript after these messages. */
function heard(...messages: readonly LiveToken[][]) {
  const actor = createActor(alone(transcriptMachine), { input: { record: EMPTY } }).start();
  for (const tokens of messages) actor.send({ type: 'tokens.received', tokens });
  return actor;
}

describe('the record of a live session', () => {
  it('LIV-22: final tokens stay, pending ones are replaced by every message', () => {
    const actor = heard([final('Hel'), pending('lo'), pending(' you')], [final('lo'), pending(' yo')]);
    const { tail, pending: open } = actor.getSnapshot().context;
    expect(tail).toEqual([{ text: 'Hel' }, { text: 'lo' }]);
    expect(open).toEqual([{ text: ' yo' }]);
  });
  it('LIV-07: a separator ends a session and takes the pending tokens with it; clearing forgets all', () => {
    const actor = heard([final('a'), pending('b')]);
    actor.send({ type: 'session.closed', how: 'finished' });
    expect(actor.getSnapshot().context).toMatchObject({ tail: [{ text: 'a' }, SEPARATOR], pending: [] });
    actor.send({ type: 'transcript.cleared' });
    expect(actor.getSnapshot().context).toEqual(EMPTY);
  });
  it("CON-12: a broken session's last words stay, parted from the next session's; one that heard nothing adds nothing", () => {
    const actor = heard();
    actor.send({ type: 'session.closed', how: 'broken' });
    expect(actor.getSnapshot().context).toEqual(EMPTY);
    actor.send({ type: 'tokens.received', tokens: [final('one'), pending(' two')] });
    actor.send({ type: 'session.closed', how: 'broken' });
    actor.send({ type: 'session.closed', how: 'finished' });
    actor.send({ type: 'tokens.received', tokens: [final('three')] });
    const { tail, pending: open } = actor.getSnapshot().context;
    expect(tail).toEqual([{ text: 'one' }, { text: ' two' }, SEPARATOR, { text: 'three' }]);
    expect(open).toEqual([]);
    expect(texts(segmentsOf(tail))).toEqual([['one', ' two'], [], ['three']]);
  });
  it('LVP-06: a session that is closed tells the words that were said in it, once, and nothing where there were none', () => {
    const { child: actor, told } = underParent(transcriptMachine, { record: EMPTY });
    const words = () => (told.at(-1) as TranscriptNotice).tokens.map(({ text }) => text);
    actor.send({ type: 'session.closed', how: 'finished' });
    expect(told).toEqual([]);
    actor.send({ type: 'tokens.received', tokens: [final('one'), final('<end>'), final(' two'), pending(' three')] });
    actor.send({ type: 'session.closed', how: 'finished' });
    expect(words()).toEqual(['one', ' two']);
    actor.send({ type: 'session.closed', how: 'broken' });
    expect(told).toHaveLength(1);
    const long = Array.from({ length: CHUNK_TOKENS * 2 }, (_, index) => final(` w${index}`));
    actor.send({ type: 'tokens.received', tokens: [...long, pending(' last')] });
    actor.send({ type: 'session.closed', how: 'broken' });
    expect(words()).toEqual([...long.map(({ text }) => text), ' last']);
  });
  it('the marker <end> is a boundary and never text', () => {
    const actor = heard([final('a'), final('<end>'), pending('<end>')]);
    expect(actor.getSnapshot().context).toMatchObject({
      tail: [{ text: 'a' }, { text: '', boundary: 'segment' }],
      pending: [],
    });
  });
  it('CON-17: the marker <fin> leaves no trace, however often it comes', () => {
    const actor = heard([final('a'), final('<fin>')], ...Array.from({ length: 5 }, () => [final('<fin>')]), [
      final(' b'),
    ]);
    const { tail } = actor.getSnapshot().context;
    expect(tail).toEqual([{ text: 'a' }, { text: ' b' }]);
    expect(texts(segmentsOf(tail))).toEqual([['a', ' b']]);
  });
  it('TRN-05: a message copies at most one chunk, and full chunks stay the same objects', () => {
    const many = recordOf(Array.from({ length: 100_000 }, (_, index) => ({ text: ` w${index}` })));
    expect(many.chunks).toHaveLength(Math.floor(100_000 / CHUNK_TOKENS));
    expect(many.tail.length).toBeLessThan(CHUNK_TOKENS);
    const grown = append(many, [{ text: ' more' }]);
    expect(grown.chunks).toBe(many.chunks);
    const over = append(
      many,
      Array.from({ length: CHUNK_TOKENS }, () => ({ text: ' x' })),
    );
    expect(over.chunks).toHaveLength(many.chunks.length + 1);
    expect(over.chunks[0]).toBe(many.chunks[0]);
    expect([...over.chunks.flat(), ...over.tail]).toHaveLength(100_000 + CHUNK_TOKENS);
  });
});

describe('lines', () => {
  it('joins sub-word tokens into words', () => {
    expect(
      texts(segmentsOf([{ text: 'Hel' }, { text: 'lo' }, { text: ' wor' }, { text: 'ld' }, { text: '.' }])),
    ).toEqual([['Hello', ' world.']]);
  });
  it.each([
    ['Chinese', ['你好', '世界', '。'], ['你好', '世界。']],
    ['Japanese', ['今日は', 'いい', '天気', 'です', '。'], ['今日は', 'いい', '天気', 'です。']],
    ['Thai, its marks with their letters', ['สวัส', 'ดี', 'ครับ', 'ก', 'ี่'], ['สวัส', 'ดี', 'ครับ', 'กี่']],
    ['Latin letters among Chinese ones', ['用', 'Web', 'Socket', ' API', '连接'], ['用', 'WebSocket', ' API', '连接']],
  ])('TRN-01: does not wait for blanks where a script has none: %s', (_, tokens, words) => {
    expect(texts(segmentsOf(tokens.map((text) => ({ text })))).flat()).toEqual(words);
  });
  it('TRN-01: keeps the parts of an Arabic word together, or its letters would not join', () => {
    expect(texts(segmentsOf(['مر', 'حبا', ' بال', 'عا', 'لم', '؟'].map((text) => ({ text }))))).toEqual([
      ['مرحبا', ' بالعالم؟'],
    ]);
  });
  it('TRN-05: a word without end is cut all the same', () => {
    const [segment] = segmentsOf(Array.from({ length: 200 }, () => ({ text: 'la' })));
    expect(segment?.words.map(({ tokens }) => tokens.length)).toEqual([64, 64, 64, 8]);
  });
  it('begins a segment with every change of speaker, language or translation, and after a boundary', () => {
    const tokens: Token[] = [
      { text: 'a', speaker: '1', language: 'en' },
      { text: ' b', speaker: '2', language: 'en' },
      { text: ' c', speaker: '2', language: 'de' },
      { text: ' d', speaker: '2', language: 'de', translation_status: 'translation' },
      { text: '', boundary: 'segment' },
      { text: ' e', speaker: '2', language: 'de', translation_status: 'translation' },
      SEPARATOR,
      { text: 'f' },
    ];
    const segments = segmentsOf(tokens);
    expect(texts(segments)).toEqual([['a'], [' b'], [' c'], [' d'], [' e'], [], ['f']]);
    expect(segments.map(({ key }) => key)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(segments[5]?.kind).toBe('separator');
    expect(segments[3]).toMatchObject({ speaker: '2', language: 'de', isTranslation: true });
  });
  it('TRN-03: shows everything, translations or originals; what is not translated belongs to both', () => {
    const tokens: Token[] = [
      { text: 'a', translation_status: 'none' },
      { text: ' b', translation_status: 'original' },
      { text: ' c', translation_status: 'translation' },
      { text: ' d' },
    ];
    expect(texts(segmentsOf(tokens)).flat()).toEqual(['a', ' b', ' c', ' d']);
    expect(texts(segmentsOf(tokens, 'translation')).flat()).toEqual(['a', ' c', ' d']);
    expect(texts(segmentsOf(tokens, 'original')).flat()).toEqual(['a', ' b', ' d']);
  });
  it('LIV-22: tells pending words from final ones, and does not glue them together', () => {
    const read = createSegmentReader();
    const record = receive(EMPTY, [final('Hel'), pending('lo'), pending(' you')]);
    const [segment] = read(record);
    expect(segment?.words.map((word) => word.text)).toEqual(['Hel', 'lo', ' you']);
    expect(segment?.finalWords).toBe(1);
    const [settled] = read(receive(record, [final('lo')]));
    expect(settled?.words.map((word) => word.text)).toEqual(['Hello']);
    expect(settled?.finalWords).toBe(1);
  });
  const STORY: Token[] = Array.from({ length: 3 * CHUNK_TOKENS + 7 }, (_, index) => {
    if (index % 97 === 96) return index % 2 === 0 ? SEPARATOR : { text: '', boundary: 'segment' };
    const isTranslation = index % 30 > 24;
    return {
      text: `${index % 5 === 4 ? '' : ' '}w${index}${index % 13 === 0 ? '.' : ''}`,
      speaker: String(Math.floor(index / 200)),
      language: isTranslation ? 'de' : 'en',
      translation_status: isTranslation ? 'translation' : 'original',
    };
  });
  const LAYOUTS = [
    { option: 'everything', isSplit: true },
    { option: 'everything', isSplit: false },
    { option: 'original', isSplit: true },
    { option: 'translation', isSplit: false },
  ] as const;

  it.each(LAYOUTS)(
    'TRN-05: a growing record reads as if read at once, and settled parts keep their object: $option, split $isSplit',
    (layout) => {
      const read = createSegmentReader(layout);
      let record = EMPTY;
      let before: readonly Segment[] = [];
      let unsettled = 0;
      for (let start = 0; start < STORY.length; start += 7) {
        const message = STORY.slice(start, start + 7).map((token) => ({ ...token, is_final: true }));
        record = receive(record, [...message, pending(' may'), pending('be')]);
        const segments = read(record);
        expect(segments).toEqual(createSegmentReader(layout)(record));
        const isShared = before.map((segment, index) => segment === segments[index]);
        const shared = isShared.indexOf(false);
        // What is the same has only the same before it; what is not is at the end.
        expect(isShared.lastIndexOf(true)).toBe(shared < 0 ? before.length - 1 : shared - 1);
        expect(before.length - isShared.filter(Boolean).length).toBeLessThanOrEqual(1 + unsettled);
        unsettled = segments.filter(({ words, finalWords }) => finalWords === 0 && words.length > 0).length;
        before = segments;
      }
      expect(before.flatMap(({ words }) => words.flatMap(({ tokens }) => tokens)).length).toBe(
        tokensOf(record).filter(
          (token) =>
            token.boundary === undefined &&
            (layout.option === 'everything' ||
              token.translation_status !== (layout.option === 'original' ? 'translation' : 'original')),
        ).length,
      );
      expect(texts(read(recordOf([{ text: 'new' }])))).toEqual([['new']]);
    },
  );
  it('TRN-05: a message reads its own tokens and no others, without any end of a sentence too', () => {
    const looks = { count: 0 };
    const counted = (text: string): Token => ({
      get text() {
        looks.count += 1;
        return text;
      },
    });
    const read = createSegmentReader();
    let record = append(
      EMPTY,
      Array.from({ length: 20_000 }, () => counted(' on')),
    );
    read(record);
    looks.count = 0;
    record = { ...record, tail: [...record.tail, counted(' and')], pending: [counted(' on')] };
    read(record);
    expect(looks.count).toBeLessThan(20);
  });
});
