import { segmentsOf, type Segment, type Word } from '../../transcript/segments.ts';
import type { RenderOption } from '../../../shared/route.ts';
import type { Token } from '../../transcript/record.ts';

/** One caption of at most two lines. */
export type Cue = {
  readonly startMs: number;
  readonly endMs: number;
  readonly speaker: string | null;
  readonly lines: readonly string[];
};

// Line length and reading time from common subtitle guidelines.
const LINE_COLUMNS = 42;
const LINES = 2;
const CUE_MAX_MS = 7000;
const CUE_MIN_MS = 1000;
/** A longer pause ends a caption. */
const PAUSE_MS = 800;

type TimedWord = { text: string; startMs: number; endMs: number };
type Span = { startMs: number; endMs: number };
type TimedSegment = { segment: Segment; words: TimedWord[] };

/** The captions of a transcript by time; a translation has the time of its original. */
export function cuesOf(tokens: readonly Token[], side: RenderOption): Cue[] {
  const cues = withTimes(segmentsOf(tokens))
    .filter(({ segment }) => isOnSide(segment, side))
    .flatMap(({ segment, words }) => cut(words).map((part) => toCue(part, segment.speaker)))
    .filter(({ lines }) => lines.length > 0)
    .sort((a, b) => a.startMs - b.startMs);
  // Goes backwards, so that each caption knows the next one that begins later.
  let later: Cue | undefined;
  let following: Cue | undefined;
  return cues
    .reduceRight<Cue[]>((lasting, cue) => {
      if (following && following.startMs > cue.startMs) later = following;
      following = cue;
      lasting.push(extended(cue, later));
      return lasting;
    }, [])
    .reverse();
}

/** Whether a segment belongs to the side; untranslated text belongs to both. */
function isOnSide({ isTranslation, words }: Segment, side: RenderOption): boolean {
  if (side === 'everything') return true;
  if (side === 'original') return !isTranslation;
  return isTranslation || words[0]?.tokens[0]?.translation_status !== 'original';
}

/** Adds times to words. A translation divides the time of the originals before it by word length. */
function withTimes(segments: readonly Segment[]): TimedSegment[] {
  let originals: Span | null = null;
  let afterTranslation = true;
  const out: TimedSegment[] = [];
  for (const segment of segments) {
    if (segment.kind !== 'speech') continue;
    if (segment.isTranslation) {
      if (originals) out.push({ segment, words: divideTime(segment.words, originals) });
      afterTranslation = true;
      continue;
    }
    const words = segment.words.flatMap(ownTimes);
    const [first, last] = [words[0], words.at(-1)];
    if (!first || !last) continue;
    originals = { startMs: afterTranslation || !originals ? first.startMs : originals.startMs, endMs: last.endMs };
    afterTranslation = false;
    out.push({ segment, words });
  }
  return out;
}

function ownTimes({ text, tokens }: Word): TimedWord[] {
  const startMs = tokens.find((token) => token.start_ms !== undefined)?.start_ms;
  const endMs = tokens.findLast((token) => token.end_ms !== undefined)?.end_ms;
  return startMs === undefined || endMs === undefined ? [] : [{ text, startMs, endMs }];
}

function divideTime(words: readonly Word[], { startMs, endMs }: Span): TimedWord[] {
  const total = words.reduce((sum, { text }) => sum + text.length, 0);
  let done = 0;
  const at = (length: number) => Math.round(startMs + ((endMs - startMs) * length) / Math.max(1, total));
  return words.map(({ text }) => {
    const from = at(done);
    done += text.length;
    return { text, startMs: from, endMs: at(done) };
  });
}

/** Cuts words into captions: at pauses, ends of sentences, and before they get too long. */
function cut(words: readonly TimedWord[]): TimedWord[][] {
  const parts: TimedWord[][] = [];
  let open: TimedWord[] = [];
  for (const word of words) {
    const [first, last] = [open[0], open.at(-1)];
    if (
      first &&
      last &&
      (word.startMs - last.endMs > PAUSE_MS ||
        word.endMs - first.startMs > CUE_MAX_MS ||
        !fits([...open, word]) ||
        endsSentence(open))
    ) {
      parts.push(open);
      open = [];
    }
    open.push(word);
  }
  if (open.length > 0) parts.push(open);
  return parts;
}

const SENTENCE_END = /[.!?。！？।۔؟]["'”’)\]]*$/u;

/** Whether the words end a sentence of at least a line; shorter sentences share a caption. */
function endsSentence(words: readonly TimedWord[]): boolean {
  const text = textOf(words);
  return SENTENCE_END.test(text) && columns(text) >= LINE_COLUMNS;
}

/** Every character that some program takes for a line end. */
const LINE_END = /[\n\v\f\r\u0085\u2028\u2029]+/;

/** Replaces line ends in a text with blanks, because an empty line would end a caption. */
export const inOneLine = (text: string): string =>
  text
    .split(LINE_END)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');

const fits = (words: readonly TimedWord[]) => wrap(words).length <= LINES;

const textOf = (words: readonly TimedWord[]) =>
  words
    .map(({ text }) => text)
    .join('')
    .trim();

/** Characters that take two columns. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}！-｠]/gu;
const columns = (text: string) => text.length + (text.match(WIDE)?.length ?? 0);

/** Wraps words into lines; two lines get about the same length. */
function wrap(words: readonly TimedWord[]): string[] {
  const lines = fill(words, LINE_COLUMNS);
  if (lines.length !== LINES) return lines;
  for (let width = Math.ceil(columns(textOf(words)) / LINES); width < LINE_COLUMNS; width += 1) {
    const even = fill(words, width);
    if (even.length === LINES) return even;
  }
  return lines;
}

function fill(words: readonly TimedWord[], width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const { text } of words) {
    if (line !== '' && columns((line + text).trim()) > width) {
      lines.push(line);
      line = '';
    }
    line += text;
  }
  return [...lines, line].map(inOneLine).filter((text) => text !== '');
}

function toCue(words: readonly TimedWord[], speaker: string | null): Cue {
  return {
    startMs: words[0]?.startMs ?? 0,
    endMs: words.at(-1)?.endMs ?? 0,
    speaker: speaker === null ? null : inOneLine(speaker),
    lines: wrap(words),
  };
}

/** Extends a short caption to a second, as far as the next one allows. */
function extended(cue: Cue, next: Cue | undefined): Cue {
  const endMs = Math.min(Math.max(cue.endMs, cue.startMs + CUE_MIN_MS), next?.startMs ?? Infinity);
  return { ...cue, endMs: Math.max(endMs, cue.startMs + 1) };
}
