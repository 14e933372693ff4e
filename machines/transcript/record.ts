import { MARKERS } from '#contract/live.ts';
import type { TranscriptToken } from '#contract/transcriptions.ts';

/**
 * A piece of a transcript as it is kept: like the server's token, or a boundary without text. Boundaries come from the
 * server's markers (`'segment'`) and from the end of a session (`'separator'`).
 */
export type Token = TranscriptToken & { boundary?: 'segment' | 'separator' };

/**
 * The final tokens in order are `chunks`, then `tail`; `pending` follows. A full chunk never changes again, so a message
 * costs its own tokens and at most one chunk, however long the session is. `finalCount` counts final tokens with text.
 */
export type TranscriptRecord = {
  readonly chunks: readonly (readonly Token[])[];
  readonly tail: readonly Token[];
  readonly pending: readonly Token[];
  readonly finalCount: number;
};

/** Tokens per chunk. */
export const CHUNK_TOKENS = 256;

/** The blank final token that ends a session (LIV-07). */
export const SEPARATOR: Token = { text: '', boundary: 'separator' };

/** The record with these final tokens at its end; `pending` stays the caller's business. */
export function append(record: TranscriptRecord, tokens: readonly (Token & { is_final?: boolean })[]): TranscriptRecord {
  if (tokens.length === 0) return record;
  const added = tokens.map(toToken);
  const open = [...record.tail, ...added];
  const full = Math.floor(open.length / CHUNK_TOKENS);
  const closed = Array.from({ length: full }, (_, index) => open.slice(index * CHUNK_TOKENS, (index + 1) * CHUNK_TOKENS));
  return {
    chunks: full > 0 ? [...record.chunks, ...closed] : record.chunks,
    tail: open.slice(full * CHUNK_TOKENS),
    pending: record.pending,
    finalCount: record.finalCount + added.filter((token) => token.boundary === undefined).length,
  };
}

/** The non-final tokens of a message; markers among them say nothing yet. */
export function pendingOf(tokens: readonly (Token & { is_final: boolean })[]): Token[] {
  return tokens.filter((token) => !token.is_final && !MARKERS.has(token.text)).map(toToken);
}

/** The record of a finished transcript, all of it final. */
export function recordOf(tokens: readonly TranscriptToken[]): TranscriptRecord {
  return append({ chunks: [], tail: [], pending: [], finalCount: 0 }, tokens);
}

/** Every final token in order, boundaries included, then those that may still change. */
export function tokensOf({ chunks, tail, pending }: TranscriptRecord): Token[] {
  return [...chunks.flat(), ...tail, ...pending];
}

function toToken(token: Token & { is_final?: boolean }): Token {
  const kept: typeof token = { ...token };
  delete kept.is_final;
  return MARKERS.has(kept.text) ? { ...kept, text: '', boundary: 'segment' } : kept;
}
