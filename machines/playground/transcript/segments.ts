import type { RenderOption } from '../../shared/route.ts';
import { finalLength, tokenAt, type Token, type TranscriptRecord } from './record.ts';

/** One word, of sub-word tokens up to the next blank. In scripts without blanks every token is a word. */
export type Word = { readonly text: string; readonly tokens: readonly Token[] };

/** A run of one speaker; in a split layout of one language, and either originals or translations. */
export type Segment = {
  /** Index of the segment, which stays the same while it grows. */
  readonly key: number;
  readonly kind: 'speech' | 'separator';
  readonly speaker: string | null;
  /** Language of its first word. */
  readonly language: string | null;
  readonly isTranslation: boolean;
  /** Whether speaker, language or translation differs from the segment before; it then has a heading. */
  readonly isOpening: boolean;
  /** Whether it continues the segment before, which was cut for its length. */
  readonly isContinuation: boolean;
  /** Whether the speaker differs from the segment before; the heading then names them. */
  readonly isNewSpeaker: boolean;
  readonly words: readonly Word[];
  /** Words from this index on may still change. */
  readonly finalWords: number;
};

/** The side to show, and whether languages and translations have separate segments (TRN-03). */
type Layout = { readonly option: RenderOption; readonly isSplit: boolean };

const EVERYTHING: Layout = { option: 'everything', isSplit: true };

/** A growing segment is cut at the first end of a sentence after WORDS_WANTED words, and at WORDS_MAX at the latest. */
const WORDS_WANTED = 60;
const WORDS_MAX = 120;
const SENTENCE_END = /[.!?。！？۔؟]["'”’)\]]*\s*$/u;
/** Limits a word in case the server's tokens have no blanks. */
const WORD_TOKENS_MAX = 64;

/** Segments made so far. `open` is the last one while no caller has seen it, so that it may change. */
type Draft = { segments: Segment[]; open: Open | null; last: Token | null; isEnded: boolean };
type Open = Omit<Segment, 'words' | 'finalWords'> & { words: Word[]; finalWords: number };

const start = (): Draft => ({ segments: [], open: null, last: null, isEnded: true });

/**
 * Makes a reader of one growing record, in segments short enough to be measured and replaced one by one. It reads each
 * final token once and reuses the objects of settled segments: if a segment is the same object, so are all before it.
 * Do not share a reader between records.
 */
export function createSegmentReader(layout: Layout = EVERYTHING): (record: TranscriptRecord) => readonly Segment[] {
  let draft = start();
  let count = 0;
  let [first, last]: (Token | undefined)[] = [];
  return (record) => {
    if (tokenAt(record, 0) !== first || tokenAt(record, count - 1) !== last) {
      draft = start();
      count = 0;
    }
    const length = finalLength(record);
    for (; count < length; count += 1) appendToken(draft, tokenAt(record, count), layout, true, WORDS_MAX);
    first = tokenAt(record, 0);
    last = tokenAt(record, count - 1);
    // The caller sees the last segment now, so the next token has to copy it.
    draft.open = null;
    const whole = { ...draft, segments: [...draft.segments] };
    for (const token of record.pending) appendToken(whole, token, layout, false, WORDS_MAX);
    return whole.segments;
  };
}

/** The segments of a complete list of tokens, without a limit of length. */
export function segmentsOf(tokens: readonly Token[], option: RenderOption = 'everything'): readonly Segment[] {
  const draft = start();
  for (const token of tokens) appendToken(draft, token, { option, isSplit: true }, true, Infinity);
  return draft.segments;
}

/** Appends a token to the draft. */
function appendToken(draft: Draft, token: Token | undefined, layout: Layout, isFinal: boolean, wordsMax: number): void {
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
  // A pending token never joins a final word.
  const word =
    isAlike && (isFinal || (before && before.words.length > before.finalWords)) ? before?.words.at(-1) : undefined;
  const goesOn = word !== undefined && !startsWord(word, token.text);
  const open = !before
    ? begin(draft, token)
    : !goesOn && isFull(before, wordsMax)
      ? beginPart(draft, before)
      : reopen(draft, before);
  if (goesOn) open.words[open.words.length - 1] = { text: word.text + token.text, tokens: [...word.tokens, token] };
  else open.words.push({ text: token.text, tokens: [token] });
  if (isFinal) open.finalWords = open.words.length;
  draft.last = token;
  draft.isEnded = false;
}

/** Whether to show a token; untranslated text belongs to both sides (TRN-03). */
function isShown(token: Token, option: RenderOption): boolean {
  if (option === 'everything' || token.boundary === 'separator') return true;
  return option === 'translation'
    ? token.translation_status !== 'original'
    : token.translation_status !== 'translation';
}

const speakerOf = ({ speaker }: Token) => speaker ?? null;
const languageOf = ({ language }: Token) => language ?? null;
const isTranslation = ({ translation_status: status }: Token) => status === 'translation';

/**
 * The segment that a token continues; undefined for a new one. The end of an utterance separates tokens of the same
 * language and side; a split layout separates all others.
 */
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
  return push(draft, {
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

/** Begins the next part of a segment that is full. */
const beginPart = (draft: Draft, full: Segment): Open =>
  push(draft, {
    ...full,
    key: draft.segments.length,
    isOpening: false,
    isContinuation: true,
    isNewSpeaker: false,
    words: [],
    finalWords: 0,
  });

function push(draft: Draft, open: Open): Open {
  draft.segments.push(open);
  draft.open = open;
  return open;
}

/** Opens the last segment for changes: a copy if a caller has seen it. Copies share their words. */
function reopen(draft: Draft, segment: Segment): Open {
  if (draft.open) return draft.open;
  draft.segments.pop();
  return push(draft, { ...segment, words: [...segment.words] });
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
/** Characters that never begin a word: punctuation, and marks that belong to the letter before. */
const DEPENDENT = /^[\p{P}\p{M}\u200c\u200d]/u;

function startsWord({ text: before, tokens }: Word, text: string): boolean {
  if (/^\s/u.test(text) || /\s$/u.test(before) || tokens.length >= WORD_TOKENS_MAX) return true;
  if (DEPENDENT.test(text)) return false;
  return UNSPACED.test(before) || UNSPACED.test(text);
}
