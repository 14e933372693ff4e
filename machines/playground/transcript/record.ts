import { MARKERS } from '#contract/live.ts';
import type { TranscriptToken } from '#contract/transcriptions.ts';

/**
 * A piece of a transcript as it is kept: like the server's token, or a boundary without text. Boundaries come from the
 * server's marker of the end of an utterance (`'segment'`) and from the end of a session (`'separator'`).
 */
export type Token = TranscriptToken & { boundary?: 'segment' | 'separator' };

/**
 * The final tokens in order are `chunks`, then `tail`; `pending` follows. A full chunk never changes again, so a message
 * costs its own tokens and at most one chunk, however long the session is.
 */
export type TranscriptRecord = {
  readonly chunks: readonly (readonly Token[])[];
  readonly tail: readonly Token[];
  readonly pending: readonly Token[];
  /** Whether a translation has come, or a speaker: kept, so that nobody has to look through it all. */
  readonly hasTranslations: boolean;
  readonly hasSpeakers: boolean;
};

/** Tokens per chunk. */
export const CHUNK_TOKENS = 256;

/** The blank final token that ends a session (LIV-07). */
export const SEPARATOR: Token = { text: '', boundary: 'separator' };

export const EMPTY: TranscriptRecord = {
  chunks: [],
  tail: [],
  pending: [],
  hasTranslations: false,
  hasSpeakers: false,
};

type Received = Token & { is_final?: boolean };

/** The answer to a finalize: it says that something became final, which is no end of anything (CON-17). */
const FINALIZED = '<fin>';

/** The record with these final tokens at its end; `pending` stays the caller's business. */
export function append(record: TranscriptRecord, tokens: readonly Received[]): TranscriptRecord {
  const added = tokens.filter(({ text }) => text !== FINALIZED).map(toToken);
  if (added.length === 0) return record;
  const open = [...record.tail, ...added];
  const full = Math.floor(open.length / CHUNK_TOKENS);
  const closed = Array.from({ length: full }, (_, index) =>
    open.slice(index * CHUNK_TOKENS, (index + 1) * CHUNK_TOKENS),
  );
  return {
    ...noted(record, added),
    chunks: full > 0 ? [...record.chunks, ...closed] : record.chunks,
    tail: open.slice(full * CHUNK_TOKENS),
  };
}

/** The record after a message: its final tokens stay, the others replace those that were pending. Markers among them say nothing yet. */
export function receive(
  record: TranscriptRecord,
  tokens: readonly (Token & { is_final: boolean })[],
): TranscriptRecord {
  const pending = tokens.filter((token) => !token.is_final && !MARKERS.has(token.text)).map(toToken);
  return {
    ...noted(
      append(
        record,
        tokens.filter((token) => token.is_final),
      ),
      pending,
    ),
    pending,
  };
}

/**
 * The record at the end of a session: what is said next does not run on. A session that said nothing adds nothing. What is
 * still pending goes with a session that was finished; of one that broke nobody will say it again, so it stays as it was read.
 */
export function closeRecord(record: TranscriptRecord, how: 'finished' | 'broken'): TranscriptRecord {
  const heard = how === 'broken' ? append(record, record.pending) : record;
  const last = tokenAt(heard, finalLength(heard) - 1);
  return { ...(last === undefined || last.boundary === 'separator' ? heard : append(heard, [SEPARATOR])), pending: [] };
}

/** What was said in the session that is about to be closed, without boundaries; of one that broke also what was pending. */
export function wordsSinceSeparator(record: TranscriptRecord, how: 'finished' | 'broken'): TranscriptToken[] {
  const all = [...record.chunks.flat(), ...record.tail];
  const heard = all.slice(all.findLastIndex(({ boundary }) => boundary === 'separator') + 1);
  return [...heard, ...(how === 'broken' ? record.pending : [])].filter(({ text }) => text !== '');
}

/** The record of a finished transcript, all of it final. */
export function recordOf(tokens: readonly TranscriptToken[]): TranscriptRecord {
  return append(EMPTY, tokens);
}

/** Every final token in order, boundaries included, then those that may still change. */
export function tokensOf({ chunks, tail, pending }: TranscriptRecord): Token[] {
  return [...chunks.flat(), ...tail, ...pending];
}

/** How many final tokens there are, boundaries included. */
export const finalLength = ({ chunks, tail }: TranscriptRecord): number => chunks.length * CHUNK_TOKENS + tail.length;

/** The final token at an index; undefined where there is none. */
export function tokenAt({ chunks, tail }: TranscriptRecord, index: number): Token | undefined {
  const chunk = chunks[Math.floor(index / CHUNK_TOKENS)];
  return chunk ? chunk[index % CHUNK_TOKENS] : tail[index - chunks.length * CHUNK_TOKENS];
}

function noted(record: TranscriptRecord, tokens: readonly Token[]): TranscriptRecord {
  return {
    ...record,
    hasTranslations:
      record.hasTranslations || tokens.some(({ translation_status: status }) => status === 'translation'),
    hasSpeakers: record.hasSpeakers || tokens.some(({ speaker }) => speaker !== undefined),
  };
}

// oxlint-disable-next-line no-unused-vars -- this is how a field is left out
function toToken({ is_final: _, ...token }: Received): Token {
  return MARKERS.has(token.text) ? { ...token, text: '', boundary: 'segment' } : token;
}
