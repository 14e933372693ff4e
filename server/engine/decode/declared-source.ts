import type { FileHandle } from 'node:fs/promises';

/** An open file. `read` returns the bytes at a position, fewer at the end. */
export interface Source {
  file: FileHandle;
  size: number;
  read(position: number, length: number): Promise<Uint8Array>;
}
