import type { Token, TranscriptRecord } from '#machines/transcript/record.ts';

const known = new WeakMap<readonly Token[], boolean>();

/** Whether a translation stands anywhere in the transcript; each full chunk is looked at once. */
export function hasTranslations({ chunks, tail, pending }: TranscriptRecord): boolean {
  return chunks.some(judge) || translates(tail) || translates(pending);
}

function judge(chunk: readonly Token[]): boolean {
  const before = known.get(chunk);
  if (before !== undefined) return before;
  const found = translates(chunk);
  known.set(chunk, found);
  return found;
}

const translates = (tokens: readonly Token[]) => tokens.some((token) => token.translation_status === 'translation');
