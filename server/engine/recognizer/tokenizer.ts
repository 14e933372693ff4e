import llama from 'llama-tokenizer-js';

/** A piece of text and its token ids: usually one, several if a character is spread over byte tokens. */
export interface TokenPiece {
  text: string;
  ids: number[];
}

const BYTE = /^<0x([0-9A-F]{2})>$/;

/**
 * Turns ids into pieces of text. `▁` becomes a space. Byte tokens in a row are joined and decoded as UTF-8. Ids without
 * text (special ones, and the model's 768 beyond the vocabulary) join the last piece.
 */
export function toPieces(ids: readonly number[]): TokenPiece[] {
  const pieces: TokenPiece[] = [];
  let bytes: number[] = [];
  let byteIds: number[] = [];
  const flush = (): void => {
    if (byteIds.length === 0) return;
    const text = new TextDecoder().decode(Uint8Array.from(bytes)).replaceAll('\uFFFD', '');
    add(pieces, text, byteIds);
    bytes = [];
    byteIds = [];
  };
  for (const id of ids) {
    const entry = pieceOf(id);
    if (typeof entry === 'number') {
      // A byte that starts a character ends the last one, so that a piece has one character.
      if (entry < 0x80 || entry >= 0xc0) flush();
      bytes.push(entry);
      byteIds.push(id);
    } else {
      flush();
      add(pieces, entry, [id]);
    }
  }
  flush();
  return pieces;
}

function add(pieces: TokenPiece[], text: string, ids: number[]): void {
  const last = pieces.at(-1);
  if (text === '' && last !== undefined) last.ids.push(...ids);
  else pieces.push({ text, ids: [...ids] });
}

/** Text of an id, or the byte it stands for. */
function pieceOf(id: number): string | number {
  if (id <= 2) return '';
  const entry = llama.vocabById[id];
  if (entry === undefined) return '';
  const byte = BYTE.exec(entry)?.[1];
  return byte === undefined ? entry.replaceAll('▁', ' ') : Number.parseInt(byte, 16);
}
