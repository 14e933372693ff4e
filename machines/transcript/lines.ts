import type { Token, TranscriptRecord } from './record.ts';

/** What a reader takes as one word: sub-word tokens up to the next blank. Ideographs and the like stand alone. */
export type Word = { readonly text: string; readonly tokens: readonly Token[] };

/** A run of one speaker, one language, and either originals or translations. `final` false: may still change. */
export type Segment = {
  /** Stable while the segment grows: its place in the whole transcript. */
  readonly key: number;
  readonly kind: 'speech' | 'separator';
  readonly speaker: string | null;
  readonly language: string | null;
  readonly isTranslation: boolean;
  readonly words: readonly Word[];
  /** Tokens of the segment that are not final yet stand in words after this index. */
  readonly finalWords: number;
};

export type RenderOption = 'everything' | 'translation' | 'original';

/** Whether a token is to be seen: what isn't translated at all belongs to either side (TRN-03). */
function isShown(token: Token, option: RenderOption): boolean {
  if (option === 'everything' || token.boundary === 'separator') return true;
  return option === 'translation' ? token.translation_status !== 'original' : token.translation_status !== 'translation';
}

type Draft = { segments: Segment[]; ended: boolean };

/**
 * A reader of one growing record: what it has read of the full chunks stays as it is, object for object, so that a view
 * re-renders the end only. Not to be shared between records.
 */
export function createLineReader(option: RenderOption = 'everything'): (record: TranscriptRecord) => readonly Segment[] {
  let read: TranscriptRecord['chunks'] = [];
  let settled: Draft = { segments: [], ended: true };
  return (record) => {
    const grown = record.chunks.length >= read.length && record.chunks[read.length - 1] === read[read.length - 1];
    if (!grown) {
      read = [];
      settled = { segments: [], ended: true };
    }
    if (record.chunks.length > read.length) {
      settled = extend(settled, record.chunks.slice(read.length).flat(), option, true);
      read = record.chunks;
    }
    const withTail = extend(settled, record.tail, option, true);
    return extend(withTail, record.pending, option, false).segments;
  };
}

/** The segments of a whole list of tokens at once. */
export function segmentsOf(tokens: readonly Token[], option: RenderOption = 'everything'): readonly Segment[] {
  return extend({ segments: [], ended: true }, tokens, option, true).segments;
}

type Open = Omit<Segment, 'words' | 'finalWords'> & { words: Word[]; finalWords: number };

/** Leaves `draft` as it is; only its last segment is copied, if it goes on. */
function extend(draft: Draft, tokens: readonly Token[], option: RenderOption, final: boolean): Draft {
  if (tokens.length === 0) return draft;
  const segments = [...draft.segments];
  let ended = draft.ended;
  let open: Open | null = null;
  for (const token of tokens) {
    if (!isShown(token, option)) continue;
    if (token.boundary !== undefined) {
      ended = true;
      if (token.boundary === 'separator') segments.push(begin(segments.length, token));
      continue;
    }
    if (ended || !continues(segments.at(-1), token)) {
      open = begin(segments.length, token);
      segments.push(open);
      ended = false;
    } else if (!open) {
      open = reopen(segments.at(-1));
      segments[segments.length - 1] = open;
    }
    addWord(open, token, final);
  }
  return { segments, ended };
}

function begin(key: number, token: Token): Open {
  return {
    key,
    kind: token.boundary === 'separator' ? 'separator' : 'speech',
    speaker: token.speaker ?? null,
    language: token.language ?? null,
    isTranslation: token.translation_status === 'translation',
    words: [],
    finalWords: 0,
  };
}

/** A copy that may grow; the words in it are shared, a growing one is replaced. */
function reopen(segment: Segment | undefined): Open {
  if (!segment) throw new Error('There is no segment to go on with.');
  return { ...segment, words: [...segment.words] };
}

function continues(segment: Segment | undefined, token: Token): boolean {
  return (
    segment !== undefined &&
    segment.kind === 'speech' &&
    segment.speaker === (token.speaker ?? null) &&
    segment.language === (token.language ?? null) &&
    segment.isTranslation === (token.translation_status === 'translation')
  );
}

function addWord(open: Open, token: Token, final: boolean): void {
  const last = open.words.at(-1);
  const goesOn = last !== undefined && !startsWord(last.text, token.text) && (final || open.words.length > open.finalWords);
  if (goesOn) {
    open.words[open.words.length - 1] = { text: last.text + token.text, tokens: [...last.tokens, token] };
  } else {
    open.words.push({ text: token.text, tokens: [token] });
  }
  if (final) open.finalWords = open.words.length;
}

// Scripts that are written without blanks between words.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const PUNCTUATION = /^\p{P}/u;

function startsWord(before: string, text: string): boolean {
  if (/^\s/u.test(text) || /\s$/u.test(before)) return true;
  if (PUNCTUATION.test(text)) return false;
  return UNSPACED.test(before) || UNSPACED.test(text);
}
