import { finalLength, tokenAt, type TranscriptRecord } from '#machines/playground/transcript/record.ts';

/** A final sentence; `key` increases with its position in the transcript. */
export type Sentence = { readonly key: number; readonly text: string };

const SENTENCE_END = /[.!?。！？۔؟]["'”’)\]]*$/u;
/** As many sentences as one message may bring; screen readers have announced older ones. */
const SENTENCES_MAX = 4;
/** How many tokens from the end are searched for sentences; longer sentences are not announced. */
const TOKENS_SEARCHED = 512;

/** The last complete and final sentences, for screen readers. */
export function lastSentences(record: TranscriptRecord): readonly Sentence[] {
  const sentences: Sentence[] = [];
  const length = finalLength(record);
  const from = Math.max(0, length - TOKENS_SEARCHED);
  /** The key of the sentence being read backwards; null before the first sentence end. */
  let key: number | null = null;
  let text = '';
  const keep = () => {
    if (key !== null && text.trim() !== '') sentences.unshift({ key, text: text.trim() });
  };
  for (let index = length - 1; index >= from && sentences.length < SENTENCES_MAX; index -= 1) {
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
  return sentences.slice(-SENTENCES_MAX);
}
