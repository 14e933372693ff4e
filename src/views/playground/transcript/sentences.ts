import { finalLength, tokenAt, type TranscriptRecord } from '#machines/playground/transcript/record.ts';

/** A final sentence, with its speaker where another spoke before; `key` increases with its position. */
export type Sentence = { readonly key: number; readonly text: string };

const SENTENCE_END = /[.!?。！？۔؟]["'”’)\]]*$/u;
/** As many sentences as one message may bring; screen readers have announced older ones. */
const SENTENCES_MAX = 4;
/** How many tokens from the end are searched for sentences; longer sentences are not announced. */
const TOKENS_SEARCHED = 512;

type Said = Sentence & { readonly speaker: string | undefined };

/** The last complete and final sentences, for screen readers. */
export function lastSentences(record: TranscriptRecord): readonly Sentence[] {
  // One more tells whether the speaker of the first has changed.
  const said = lastSaid(record, SENTENCES_MAX + 1);
  return said
    .map(({ key, text, speaker }, index) => ({
      key,
      text: speaker === undefined || speaker === said[index - 1]?.speaker ? text : `Speaker ${speaker}: ${text}`,
    }))
    .slice(-SENTENCES_MAX);
}

/** A sentence ends with its mark, at a boundary, or where another speaker begins. */
function lastSaid(record: TranscriptRecord, most: number): readonly Said[] {
  const sentences: Said[] = [];
  const length = finalLength(record);
  const from = Math.max(0, length - TOKENS_SEARCHED);
  /** The key of the sentence being read backwards; null before the first sentence end. */
  let key: number | null = null;
  let text = '';
  let speaker: string | undefined;
  const keep = () => {
    if (key !== null && text.trim() !== '') sentences.unshift({ key, text: text.trim(), speaker });
  };
  for (let index = length - 1; index >= from && sentences.length < most; index -= 1) {
    const token = tokenAt(record, index);
    if (!token) break;
    const isOther = speaker !== undefined && token.speaker !== undefined && token.speaker !== speaker;
    if (isOther || token.boundary !== undefined || SENTENCE_END.test(token.text)) {
      keep();
      key = index;
      text = '';
      speaker = undefined;
    }
    speaker = token.speaker ?? speaker;
    text = token.text + text;
    if (index === 0) keep();
  }
  return sentences;
}
