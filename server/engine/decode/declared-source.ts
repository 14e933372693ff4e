import type { FileHandle } from 'node:fs/promises';

/** A file at hand: its bytes from a position on, fewer at its end. */
export interface Source {
  file: FileHandle;
  size: number;
  read(position: number, length: number): Promise<Uint8Array>;
}
