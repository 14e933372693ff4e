import type { Token, TranscriptRecord } from '#machines/transcript/record.ts';

/** A sentence that is final for good; `key` grows with its place in the transcript. */
export type Sentence = { readonly key: number; readonly text: string };

const SENTENCE_END = /[.!?。！？۔؟]["'”’)\]]*$/u;
/** Enough for one message to bring; older ones have been spoken. */
const KEPT = 4;

/** The last final sentences, whole ones only, for a screen reader: what may still change is not spoken. */
export function lastSentences({ chunks, tail }: Pick<TranscriptRecord, 'chunks' | 'tail'>): readonly Sentence[] {
  const chunk = chunks.at(-1) ?? [];
  const start = chunks.reduce((sum, { length }) => sum + length, 0) - chunk.length;
  const sentences: Sentence[] = [];
  let text = '';
  const end = (key: number) => {
    if (text.trim() !== '') sentences.push({ key, text: text.trim() });
    text = '';
  };
  const tokens: readonly Token[] = [...chunk, ...tail];
  for (const [index, token] of tokens.entries()) {
    text += token.text;
    if (token.boundary !== undefined || SENTENCE_END.test(token.text)) end(start + index);
  }
  return sentences.slice(-KEPT);
}
