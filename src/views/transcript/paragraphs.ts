import type { Segment, Word } from '#machines/transcript/lines.ts';

/** What is rendered as one block: a part of a segment, short enough to be measured and replaced by itself. */
export type Paragraph = {
  /** Stable while the transcript grows. */
  readonly key: string;
  readonly kind: Segment['kind'];
  readonly speaker: string | null;
  readonly language: string | null;
  readonly isTranslation: boolean;
  /** Whether someone else begins to speak, or another language, or a translation: then it has a heading. */
  readonly isOpening: boolean;
  /** Whether the heading names the speaker, who is another one than before. */
  readonly isNewSpeaker: boolean;
  readonly words: readonly Word[];
  /** Words from this index on may still change. */
  readonly finalWords: number;
};

/** A paragraph ends at the first end of a sentence after so many words, at the latest after the second number. */
const WORDS_WANTED = 60;
const WORDS_MAX = 120;
const SENTENCE_END = /[.!?。！？۔؟]["'”’)\]]*\s*$/u;

/**
 * Joins what one speaker says in several languages, or as original and translation, into one run: no lines of their own.
 * A run whose segments are the same objects as before is the same object as before.
 */
export function createRunReader(): (segments: readonly Segment[]) => readonly Segment[] {
  let known = new Map<number, { parts: readonly Segment[]; run: Segment }>();
  return (segments) => {
    const groups: Segment[][] = [];
    for (const segment of segments) {
      const group = groups.at(-1);
      if (group && isJoined(group.at(-1), segment)) group.push(segment);
      else groups.push([segment]);
    }
    const current = new Map<number, { parts: readonly Segment[]; run: Segment }>();
    const runs = groups.map((parts) => {
      const [first] = parts;
      if (!first) throw new Error('A run without a segment.');
      const old = known.get(first.key);
      const isSame = old !== undefined && old.parts.length === parts.length && old.parts.every((part, index) => part === parts[index]);
      const entry = isSame ? old : { parts, run: parts.length === 1 ? first : parts.reduce(join) };
      current.set(first.key, entry);
      return entry.run;
    });
    known = current;
    return runs;
  };
}

/** Segments that differ in neither language nor kind were parted by the end of an utterance; they stay apart. */
function isJoined(before: Segment | undefined, segment: Segment): boolean {
  if (!before || before.kind !== 'speech' || segment.kind !== 'speech' || before.speaker !== segment.speaker) return false;
  return before.language !== segment.language || before.isTranslation !== segment.isTranslation;
}

function join(run: Segment, segment: Segment): Segment {
  const isSettled = run.finalWords === run.words.length;
  return { ...run, words: [...run.words, ...segment.words], finalWords: isSettled ? run.words.length + segment.finalWords : run.finalWords };
}

/**
 * Cuts segments into paragraphs. What it has cut is kept as it is as long as its tokens are the same objects, so that a
 * message re-renders the last paragraph only. One reader per transcript.
 */
export function createParagraphReader(): (segments: readonly Segment[]) => readonly Paragraph[] {
  let known = new Map<string, Paragraph>();
  const bySegment = new WeakMap<Segment, readonly Paragraph[]>();
  return (segments) => {
    const current = new Map<string, Paragraph>();
    const result: Paragraph[] = [];
    let before: Segment | undefined;
    for (const segment of segments) {
      const cut = bySegment.get(segment) ?? cutSegment(segment, before).map((paragraph) => kept(known.get(paragraph.key), paragraph));
      bySegment.set(segment, cut);
      for (const paragraph of cut) current.set(paragraph.key, paragraph);
      for (const paragraph of cut) result.push(paragraph);
      before = segment;
    }
    known = current;
    return result;
  };
}

function isOpening(before: Segment | undefined, segment: Segment): boolean {
  return (
    before === undefined ||
    before.kind !== segment.kind ||
    before.speaker !== segment.speaker ||
    before.language !== segment.language ||
    before.isTranslation !== segment.isTranslation
  );
}

function cutSegment(segment: Segment, before: Segment | undefined): Paragraph[] {
  const { kind, speaker, language, isTranslation } = segment;
  const opens = isOpening(before, segment);
  const isOther = before === undefined || before.kind !== 'speech' || before.speaker !== speaker;
  return ranges(segment.words).map(([from, to], index) => ({
    key: `${segment.key}.${index}`,
    kind,
    speaker,
    language,
    isTranslation,
    isOpening: opens && index === 0,
    isNewSpeaker: isOther && index === 0,
    words: segment.words.slice(from, to),
    finalWords: Math.max(0, Math.min(segment.finalWords, to) - from),
  }));
}

/** Where paragraphs begin and end; decided from the front, so that growth at the end moves nothing. */
function ranges(words: readonly Word[]): [from: number, to: number][] {
  const found: [number, number][] = [];
  let from = 0;
  for (const [index, word] of words.entries()) {
    const length = index + 1 - from;
    if (length < WORDS_WANTED || (length < WORDS_MAX && !SENTENCE_END.test(word.text))) continue;
    found.push([from, index + 1]);
    from = index + 1;
  }
  if (from < words.length || words.length === 0) found.push([from, words.length]);
  return found;
}

/** The old paragraph where nothing changed, else the fresh one with the words of the old one that stay. */
function kept(old: Paragraph | undefined, fresh: Paragraph): Paragraph {
  if (!old) return fresh;
  const words = fresh.words.map((word, index) => sameWord(old.words[index], word));
  const isSame =
    old.words.length === words.length &&
    words.every((word, index) => word === old.words[index]) &&
    old.finalWords === fresh.finalWords &&
    old.isOpening === fresh.isOpening &&
    old.isNewSpeaker === fresh.isNewSpeaker &&
    old.speaker === fresh.speaker &&
    old.language === fresh.language &&
    old.isTranslation === fresh.isTranslation;
  return isSame ? old : { ...fresh, words };
}

/** The line reader groups the open end anew with every message; the tokens in it are the same ones. */
function sameWord(old: Word | undefined, fresh: Word): Word {
  if (!old || old.tokens.length !== fresh.tokens.length) return fresh;
  return fresh.tokens.every((token, index) => token === old.tokens[index]) ? old : fresh;
}
