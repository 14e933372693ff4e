import { describe, expect, it } from 'vitest';
import { createSegmentReader, segmentsOf } from '#machines/playground/transcript/segments.ts';
import { append, EMPTY, receive, recordOf, type Token } from '#machines/playground/transcript/record.ts';
import { textBetween } from '#machines/playground/transcript/stretch.ts';
import { formatTime, wordDetailsText } from '#src/views/playground/transcript/details.ts';
import { lastSentences } from '#src/views/playground/transcript/sentences.ts';

const read = (tokens: readonly Token[], isSplit = true) =>
  createSegmentReader({ option: 'everything', isSplit })(recordOf(tokens));
const speech = (count: number, from = 0): Token[] =>
  Array.from({ length: count }, (_, index) => ({
    text: ` word${from + index}${(from + index) % 20 === 19 ? '.' : ''}`,
  }));
const textOf = (paragraph: { words: readonly { text: string }[] } | undefined) =>
  paragraph?.words.map(({ text }) => text).join('');

describe('the details of a word', () => {
  it.each([
    [0, '00:00.000'],
    [1234.6, '00:01.235'],
    [59_999.7, '01:00.000'],
    [3_600_000, '60:00.000'],
    [-5, '00:00.000'],
  ])('TRN-02: %d ms read %s', (ms, text) => {
    expect(formatTime(ms)).toBe(text);
  });

  it('TRN-02: times and confidence; language tags only with the flag', () => {
    const token: Token = {
      text: ' Haus',
      start_ms: 1000,
      end_ms: 1500,
      confidence: 0.987,
      language: 'de',
      source_language: 'en',
      translation_status: 'translation',
    };
    const word = { text: ' Haus', tokens: [token] };
    expect(wordDetailsText(word, false)).toBe('00:01.000 – 00:01.500, confidence 0.99');
    expect(wordDetailsText(word, true)).toBe(
      '00:01.000 – 00:01.500, confidence 0.99, language de, source language en, translation status translation',
    );
  });

  it('UXP-57: punctuation that hangs on a word has no line of its own', () => {
    const said = { text: ' country', start_ms: 0, end_ms: 400, confidence: 0.9 };
    const mark = { text: '.', start_ms: 400, end_ms: 430, confidence: 0.6 };
    const figures = '00:00.000 – 00:00.400, confidence 0.90';
    expect(wordDetailsText({ text: ' country.', tokens: [said, mark] }, false)).toBe(figures);
    expect(wordDetailsText({ text: ' “country', tokens: [{ ...mark, text: ' “' }, said] }, false)).toBe(figures);
    expect(wordDetailsText({ text: ' -', tokens: [{ ...mark, text: ' -' }] }, false)).toContain('confidence 0.60');
    const price = [
      { ...mark, text: ' $' },
      { ...said, text: '5' },
    ];
    expect(wordDetailsText({ text: ' $5', tokens: price }, false)).toContain('“$”');
  });

  it('TRN-02: a word of several tokens tells each of them', () => {
    const tokens: Token[] = [
      { text: ' hel', start_ms: 0, end_ms: 100, confidence: 0.5 },
      { text: 'lo', start_ms: 100, end_ms: 200, confidence: 1 },
    ];
    expect(wordDetailsText({ text: ' hello', tokens }, false)).toBe(
      '“hel” 00:00.000 – 00:00.100, confidence 0.50\n“lo” 00:00.100 – 00:00.200, confidence 1.00',
    );
  });
});

describe('paragraphs', () => {
  it('end with a sentence after 60 words, at the latest after 120', () => {
    const [first, second] = read(speech(100));
    expect(first?.words.length).toBe(60);
    expect(textOf(first)).toMatch(/word59\.$/);
    expect(second?.words.length).toBe(40);
    const endless = read(Array.from({ length: 130 }, () => ({ text: ' on' })));
    expect(endless.map(({ words }) => words.length)).toEqual([120, 10]);
  });

  it('name a speaker once, and again after another one', () => {
    const say = (speaker: string, text: string, language = 'en'): Token => ({ text, speaker, language });
    const cut = read([say('1', ' Hello.'), say('1', ' Hallo.', 'de'), say('2', ' Yes.'), say('1', ' Good.')]);
    expect(cut.map(({ speaker, isNewSpeaker, isOpening }) => [speaker, isNewSpeaker, isOpening])).toEqual([
      ['1', true, true],
      ['1', false, true],
      ['2', true, true],
      ['1', true, true],
    ]);
  });
});

describe('a stretch of a text', () => {
  const at = (segment: number, offset: number) => ({ segment, offset });
  const say = (speaker: string, ...texts: string[]): Token[] => texts.map((text) => ({ text, speaker }));
  const segments = read([
    ...say('1', ' Good', ' mor', 'ning.'),
    { text: '', boundary: 'separator' },
    ...say('2', ' Hello', ' there.'),
    ...say('1', ' Bye.'),
  ]);

  it('TRN-05: begins and ends at any character, with a line for each run and no labels, in either direction', () => {
    expect(segments.map(({ kind }) => kind)).toEqual(['speech', 'separator', 'speech', 'speech']);
    expect(textBetween(segments, at(0, 6), at(3, 3))).toBe('morning.\nHello there.\nBy');
    expect(textBetween(segments, at(3, 3), at(0, 6))).toBe('morning.\nHello there.\nBy');
    expect(textBetween(segments, at(0, 2), at(0, 8))).toBe('ood mo');
    expect(textBetween(segments, at(1, 0), at(Infinity, Infinity))).toBe('Hello there.\nBye.');
  });

  it('TRN-05: a run that was cut for its length is one line', () => {
    const long = read(speech(300));
    expect(long.length).toBeGreaterThan(3);
    const said = speech(300).map(({ text }) => text);
    expect(textBetween(long, at(0, 0), at(Infinity, Infinity))).toBe(said.join('').trim());
  });
});

describe('runs', () => {
  const tokens: Token[] = [
    { text: ' Hello.', speaker: '1', language: 'en', translation_status: 'original' },
    { text: ' Hallo.', speaker: '1', language: 'de', translation_status: 'translation' },
    { text: '', boundary: 'segment' },
    { text: ' Yes.', speaker: '2', language: 'en', translation_status: 'original' },
  ];

  it('TRN-03: without lines of their own, original and translation of one speaker stand together', () => {
    expect(read(tokens, false).map(textOf)).toEqual([' Hello. Hallo.', ' Yes.']);
    expect(segmentsOf(tokens).map(textOf)).toEqual([' Hello.', ' Hallo.', ' Yes.']);
  });
});

it('only whole, final sentences are spoken, each under a key of its own', () => {
  const record = {
    ...recordOf([{ text: ' One.' }, { text: ' Two' }, { text: '.' }, { text: ' Thr' }]),
    pending: [{ text: 'ee.' }],
  };
  expect(lastSentences(record)).toEqual([
    { key: 0, text: 'One.' },
    { key: 2, text: 'Two.' },
  ]);
  const longer = append(record, [{ text: 'ee.' }]);
  expect(lastSentences(longer).at(-1)).toEqual({ key: 4, text: 'Three.' });
});

it('UXP-60: a speaker is named where they begin to speak, also if the one before has not ended the sentence', () => {
  const said = (text: string, speaker: string): Token => ({ text, speaker });
  const tokens = [said(' One.', '1'), said(' Two', '1'), said(' But', '2'), said(' no.', '2'), said(' Yes.', '2')];
  expect(lastSentences(recordOf(tokens)).map(({ text }) => text)).toEqual([
    'Speaker 1: One.',
    'Two',
    'Speaker 2: But no.',
    'Yes.',
  ]);
  // The speaker of the last sentences is known from the one before them.
  expect(lastSentences(recordOf([...tokens, said(' So.', '2')])).map(({ text }) => text)[0]).toBe('Two');
});

it('each sentence is spoken once, and whole, wherever the record is cut', () => {
  const spoken = new Map<number, string>();
  let record = EMPTY;
  const all: string[] = [];
  for (let sentence = 0; sentence < 60; sentence += 1) {
    const words = Array.from({ length: 12 }, (_, index) => ` w${sentence}-${index}${index === 11 ? '.' : ''}`);
    all.push(words.join('').trim());
    for (const text of words) {
      record = receive(record, [
        { text, is_final: true },
        { text: ' never this.', is_final: false },
      ]);
      for (const { key, text: said } of lastSentences(record)) {
        expect(spoken.get(key) ?? said).toBe(said);
        spoken.set(key, said);
      }
    }
  }
  expect([...spoken.values()]).toEqual(all);
});

it('TRN-03: translations and speakers are known wherever they stand', () => {
  const translation: Token = { text: ' Ja.', translation_status: 'translation', speaker: '1' };
  expect(recordOf(speech(600))).toMatchObject({ hasTranslations: false, hasSpeakers: false });
  expect(append(recordOf([translation]), speech(600))).toMatchObject({ hasTranslations: true, hasSpeakers: true });
  expect(receive(EMPTY, [{ ...translation, is_final: false }])).toMatchObject({
    hasTranslations: true,
    hasSpeakers: true,
  });
});
