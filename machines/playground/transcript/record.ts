import { MARKERS } from '#contract/live.ts';
import type { TranscriptToken } from '#contract/transcriptions.ts';

/**
 * A kept token: one of the server's, or a boundary without text, at the end of an utterance (`'segment'`, from the
 * server's marker) or of a session (`'separator'`).
 */
export type Token = TranscriptToken & { boundary?: 'segment' | 'separator' };

/**
 * Final tokens, in order `chunks` then `tail`, and the `pending` ones after them. A full chunk never changes, so the
 * cost of a message does not grow with the session.
 */
export type TranscriptRecord = {
  readonly chunks: readonly (readonly Token[])[];
  readonly tail: readonly Token[];
  readonly pending: readonly Token[];
  /** Whether any token is a translation or has a speaker, to avoid a search. */
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

/** The answer to a finalize. Unlike other markers it ends no utterance (CON-17). */
const FINALIZED = '<fin>';

/** Appends final tokens; leaves `pending` to the caller. */
export function append(record: TranscriptRecord, tokens: readonly Received[]): TranscriptRecord {
  const added = tokens.filter(({ text }) => text !== FINALIZED).map(toToken);
  if (added.length === 0) return record;
  const open = [...record.tail, ...added];
  const full = Math.floor(open.length / CHUNK_TOKENS);
  const closed = Array.from({ length: full }, (_, index) =>
    open.slice(index * CHUNK_TOKENS, (index + 1) * CHUNK_TOKENS),
  );
  return {
    ...withFlags(record, added),
    chunks: full > 0 ? [...record.chunks, ...closed] : record.chunks,
    tail: open.slice(full * CHUNK_TOKENS),
  };
}

/** Applies a message: appends its final tokens, and replaces `pending` with the others, without markers. */
export function receive(
  record: TranscriptRecord,
  tokens: readonly (Token & { is_final: boolean })[],
): TranscriptRecord {
  const pending = tokens.filter((token) => !token.is_final && !MARKERS.has(token.text)).map(toToken);
  return {
    ...withFlags(
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
 * Ends a session with a separator, unless it said nothing. A finished session drops pending tokens; a broken one keeps
 * them as final, because no others will come.
 */
export function closeRecord(record: TranscriptRecord, how: 'finished' | 'broken'): TranscriptRecord {
  const heard = how === 'broken' ? append(record, record.pending) : record;
  const last = tokenAt(heard, finalLength(heard) - 1);
  return { ...(last === undefined || last.boundary === 'separator' ? heard : append(heard, [SEPARATOR])), pending: [] };
}

/** The present session's tokens without boundaries; of a broken session also the pending ones. */
export function wordsSinceSeparator(record: TranscriptRecord, how: 'finished' | 'broken'): TranscriptToken[] {
  const all = [...record.chunks.flat(), ...record.tail];
  const heard = all.slice(all.findLastIndex(({ boundary }) => boundary === 'separator') + 1);
  return [...heard, ...(how === 'broken' ? record.pending : [])].filter(({ text }) => text !== '');
}

/** The record of a finished transcript. */
export function recordOf(tokens: readonly TranscriptToken[]): TranscriptRecord {
  return append(EMPTY, tokens);
}

/** All final tokens with boundaries, then the pending ones. */
export function tokensOf({ chunks, tail, pending }: TranscriptRecord): Token[] {
  return [...chunks.flat(), ...tail, ...pending];
}

/** Number of final tokens, including boundaries. */
export const finalLength = ({ chunks, tail }: TranscriptRecord): number => chunks.length * CHUNK_TOKENS + tail.length;

/** The final token at an index, if any. */
export function tokenAt({ chunks, tail }: TranscriptRecord, index: number): Token | undefined {
  const chunk = chunks[Math.floor(index / CHUNK_TOKENS)];
  return chunk ? chunk[index % CHUNK_TOKENS] : tail[index - chunks.length * CHUNK_TOKENS];
}

function withFlags(record: TranscriptRecord, tokens: readonly Token[]): TranscriptRecord {
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
