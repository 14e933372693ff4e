import { finalLength, tokenAt, type TranscriptRecord } from '#machines/playground/transcript/record.ts';

/** A sentence that is final for good; `key` grows with its place in the transcript. */
export type Sentence = { readonly key: number; readonly text: string };

const SENTENCE_END = /[.!?。！？۔؟]["'”’)\]]*$/u;
/** Enough for one message to bring; older ones have been spoken. */
const KEPT = 4;
/** Tokens from the end in which sentences are looked for; one that is longer is not spoken. */
const LOOKED_THROUGH = 512;

/** The last final sentences, whole ones only, for a screen reader: what may still change is not spoken. */
export function lastSentences(record: TranscriptRecord): readonly Sentence[] {
  const sentences: Sentence[] = [];
  const length = finalLength(record);
  const from = Math.max(0, length - LOOKED_THROUGH);
  /** Of the sentence that is read backwards; null before the first end. */
  let key: number | null = null;
  let text = '';
  const keep = () => {
    if (key !== null && text.trim() !== '') sentences.unshift({ key, text: text.trim() });
  };
  for (let index = length - 1; index >= from && sentences.length < KEPT; index -= 1) {
    const token = tokenAt(record, index);
    if (!token) break;
    if (token.boundary !== undefined || SENTENCE_END.test(token.text)) {
      keep();
      key = index;
      text = '';
    }
    text = token.text + text;
    if (index === 0) keep();
  }
  return sentences.slice(-KEPT);
}
