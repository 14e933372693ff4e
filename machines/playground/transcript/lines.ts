import { finalLength, tokenAt, type Token, type TranscriptRecord } from './record.ts';

/** What a reader takes as one word: sub-word tokens up to the next blank. Ideographs and the like stand alone. */
export type Word = { readonly text: string; readonly tokens: readonly Token[] };

/** A run of one speaker that stands by itself, mostly in one language and either originals or translations. */
export type Segment = {
  /** Stable while the segment grows: its place among the others. */
  readonly key: number;
  readonly kind: 'speech' | 'separator';
  readonly speaker: string | null;
  /** Of its first word. */
  readonly language: string | null;
  readonly isTranslation: boolean;
  /** Whether someone else begins to speak, or another language, or a translation: then it has a heading. */
  readonly isOpening: boolean;
  /** Whether it goes on where the one before was cut only for its length. */
  readonly isContinuation: boolean;
  /** Whether the heading names the speaker, who is another one than before. */
  readonly isNewSpeaker: boolean;
  readonly words: readonly Word[];
  /** Words from this index on may still change. */
  readonly finalWords: number;
};

export type RenderOption = 'everything' | 'translation' | 'original';

/** How a transcript is laid out: which side is seen, and whether languages and translations stand in segments of their own (TRN-03). */
type Layout = { readonly option: RenderOption; readonly isSplit: boolean };

const EVERYTHING: Layout = { option: 'everything', isSplit: true };

/** Segments that are read one after another are cut at the first end of a sentence after so many words, at the latest after the second number. */
const WORDS_WANTED = 60;
const WORDS_MAX = 120;
const SENTENCE_END = /[.!?。！？۔؟]["'”’)\]]*\s*$/u;
/** However a server cuts its tokens, a word is no page. */
const WORD_TOKENS_MAX = 64;

/** Where reading has come to. `open` is the last segment while it may be written to. */
type Draft = { segments: Segment[]; open: Open | null; last: Token | null; isEnded: boolean };
type Open = Omit<Segment, 'words' | 'finalWords'> & { words: Word[]; finalWords: number };

const start = (): Draft => ({ segments: [], open: null, last: null, isEnded: true });

/**
 * A reader of one growing record, in segments short enough to be measured and replaced one by one. A token is read once;
 * what has been read stays as it is, object for object: a segment that is the same object has only such before it. Not to
 * be shared between records.
 */
export function createLineReader(layout: Layout = EVERYTHING): (record: TranscriptRecord) => readonly Segment[] {
  let draft = start();
  let count = 0;
  let [first, last]: (Token | undefined)[] = [];
  return (record) => {
    if (tokenAt(record, 0) !== first || tokenAt(record, count - 1) !== last) {
      draft = start();
      count = 0;
    }
    const length = finalLength(record);
    for (; count < length; count += 1) read(draft, tokenAt(record, count), layout, true, WORDS_MAX);
    first = tokenAt(record, 0);
    last = tokenAt(record, count - 1);
    // From here on it is others' to read.
    draft.open = null;
    const whole = { ...draft, segments: [...draft.segments] };
    for (const token of record.pending) read(whole, token, layout, false, WORDS_MAX);
    return whole.segments;
  };
}

/** The segments of a whole list of tokens at once, however long each of them is. */
export function segmentsOf(tokens: readonly Token[], option: RenderOption = 'everything'): readonly Segment[] {
  const draft = start();
  for (const token of tokens) read(draft, token, { option, isSplit: true }, true, Infinity);
  return draft.segments;
}

/** Writes a token to the end of the draft. */
function read(draft: Draft, token: Token | undefined, layout: Layout, isFinal: boolean, wordsMax: number): void {
  if (!token || !isShown(token, layout.option)) return;
  if (token.boundary !== undefined) {
    draft.isEnded = true;
    if (token.boundary === 'separator') begin(draft, token);
    return;
  }
  const isAlike =
    draft.last !== null &&
    languageOf(draft.last) === languageOf(token) &&
    isTranslation(draft.last) === isTranslation(token);
  const before = continues(draft, token, isAlike, layout);
  // What may still change is not glued to what may not.
  const word =
    isAlike && (isFinal || (before && before.words.length > before.finalWords)) ? before?.words.at(-1) : undefined;
  const goesOn = word !== undefined && !startsWord(word, token.text);
  const open = !before
    ? begin(draft, token)
    : !goesOn && isFull(before, wordsMax)
      ? turn(draft, before)
      : reopen(draft, before);
  if (goesOn) open.words[open.words.length - 1] = { text: word.text + token.text, tokens: [...word.tokens, token] };
  else open.words.push({ text: token.text, tokens: [token] });
  if (isFinal) open.finalWords = open.words.length;
  draft.last = token;
  draft.isEnded = false;
}

/** Whether a token is to be seen: what isn't translated at all belongs to either side (TRN-03). */
function isShown(token: Token, option: RenderOption): boolean {
  if (option === 'everything' || token.boundary === 'separator') return true;
  return option === 'translation'
    ? token.translation_status !== 'original'
    : token.translation_status !== 'translation';
}

const speakerOf = ({ speaker }: Token) => speaker ?? null;
const languageOf = ({ language }: Token) => language ?? null;
const isTranslation = ({ translation_status: status }: Token) => status === 'translation';

/** The segment that a token goes on. The end of an utterance parts what is alike; what is not is parted only where it is to stand by itself. */
function continues(
  { segments, isEnded }: Draft,
  token: Token,
  isAlike: boolean,
  { isSplit }: Layout,
): Segment | undefined {
  const before = segments.at(-1);
  if (before?.kind !== 'speech' || before.speaker !== speakerOf(token)) return undefined;
  return (isSplit ? isAlike && !isEnded : !isAlike || !isEnded) ? before : undefined;
}

function begin(draft: Draft, token: Token): Open {
  const before = draft.segments.at(-1);
  const kind = token.boundary === 'separator' ? 'separator' : 'speech';
  const [speaker, language, translates] = [speakerOf(token), languageOf(token), isTranslation(token)];
  const isNewSpeaker = before?.kind !== 'speech' || before.speaker !== speaker;
  const isOpening =
    before === undefined ||
    before.kind !== kind ||
    before.speaker !== speaker ||
    before.language !== language ||
    before.isTranslation !== translates;
  return put(draft, {
    key: draft.segments.length,
    kind,
    speaker,
    language,
    isTranslation: translates,
    isOpening,
    isContinuation: false,
    isNewSpeaker,
    words: [],
    finalWords: 0,
  });
}

/** The next part of a segment that is long enough. */
const turn = (draft: Draft, full: Segment): Open =>
  put(draft, {
    ...full,
    key: draft.segments.length,
    isOpening: false,
    isContinuation: true,
    isNewSpeaker: false,
    words: [],
    finalWords: 0,
  });

function put(draft: Draft, open: Open): Open {
  draft.segments.push(open);
  draft.open = open;
  return open;
}

/** The last segment to write to: a copy, where others have read it. The words in it are shared; a growing one is replaced. */
function reopen(draft: Draft, segment: Segment): Open {
  if (draft.open) return draft.open;
  draft.segments.pop();
  return put(draft, { ...segment, words: [...segment.words] });
}

function isFull({ words }: Segment, wordsMax: number): boolean {
  const { length } = words;
  return (
    length >= wordsMax ||
    (length >= WORDS_WANTED && wordsMax < Infinity && SENTENCE_END.test(words[length - 1]?.text ?? ''))
  );
}

// Scripts that are written without blanks between words.
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** What never begins a word: signs, and marks that belong to the letter before them. */
const DEPENDENT = /^[\p{P}\p{M}\u200c\u200d]/u;

function startsWord({ text: before, tokens }: Word, text: string): boolean {
  if (/^\s/u.test(text) || /\s$/u.test(before) || tokens.length >= WORD_TOKENS_MAX) return true;
  if (DEPENDENT.test(text)) return false;
  return UNSPACED.test(before) || UNSPACED.test(text);
}
