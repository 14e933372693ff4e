import llama from 'llama-tokenizer-js';

/** One readable piece and the token ids it is made of: usually one, several where a character is spread over byte tokens. */
export interface TokenPiece {
  text: string;
  ids: number[];
}

const BYTE = /^<0x([0-9A-F]{2})>$/;

/**
 * Turns ids into pieces of text. `▁` becomes a space, runs of byte tokens are joined before UTF-8 decoding,
 * and ids that have no text (special ones, the model's 768 beyond the vocabulary) go with the piece before them.
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
      // A byte that starts a character ends the run before it, so that every piece is one character.
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
